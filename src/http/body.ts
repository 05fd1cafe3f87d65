import {
  debounceTime,
  defer,
  map,
  type Observable,
  race,
  type SchedulerLike,
  Subject,
  startWith,
} from 'rxjs'
import { Late } from './outage.js'

/** What came, and what it says. */
export interface Body {
  readonly bytes: Uint8Array
  readonly body: string
}

/**
 * The whole body of an answer; fails as `Late` when no further part of it comes within `limit` ms. The
 * parts are gathered in a function of its own, so that they are gone when the text is parsed: what is
 * alive then outlives two collections, and pages of megabytes fill the old generation.
 */
export const wholeBody = (
  response: Response,
  limit: number,
  scheduler: SchedulerLike,
): Observable<Body> =>
  defer(() => {
    const heard = new Subject<void>()
    const stalled = heard.pipe(
      startWith(undefined),
      debounceTime(limit, scheduler),
      map((): never => {
        throw new Late('body', limit)
      }),
    )
    return race(
      read(response, () => heard.next()),
      stalled,
    )
  })

const read = async ({ body }: Response, heard: () => void): Promise<Body> => {
  const stream: AsyncIterable<Uint8Array> | null = body
  const parts: Array<Uint8Array> = []
  for await (const part of stream ?? []) {
    heard()
    parts.push(part)
  }
  const bytes = joined(parts)
  return { bytes, body: new TextDecoder().decode(bytes) }
}

const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const all = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
