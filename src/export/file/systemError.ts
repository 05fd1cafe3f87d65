/** What the system says when it refuses something. */

/** Whether it is the system that refused; else it may be a bug. */
export const isSystemError = (error: unknown): error is Error & { readonly code: string } =>
  error instanceof Error && 'code' in error && typeof error.code === 'string'

/** Such as `ENOENT`; undefined where it was not the system that refused. */
export const codeOf = (error: unknown): string | undefined =>
  isSystemError(error) ? error.code : undefined

/** Whether there is no such file, nor perhaps its folder. */
export const isAbsence = (error: unknown): boolean =>
  codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR'

/** The same error; where it does not say the path, as for an open file, with it. */
export const withPath =
  (path: string) =>
  (error: unknown): unknown =>
    error instanceof Error && !('path' in error) ? Object.assign(error, { path }) : error
