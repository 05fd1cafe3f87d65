import { throwError } from 'rxjs'

/** Reports, as RxJS does, an error that nobody is left to be told of: by itself, and not to the one who calls. */
export const unhandled = (error: unknown): void => {
  throwError(() => error).subscribe()
}
