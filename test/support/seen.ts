import type { Observable } from 'rxjs'

/** Subscribes; returns a list of what a stream emits, which grows, and ends with its error or `complete`. */
export const seenOf = (source: Observable<unknown>): ReadonlyArray<unknown> => {
  const seen: Array<unknown> = []
  source.subscribe({
    next: (value) => seen.push(value),
    error: (error: unknown) => seen.push(error),
    complete: () => seen.push('complete'),
  })
  return seen
}
