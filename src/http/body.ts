import {
  debounce,
  defer,
  map,
  type Observable,
  race,
  type SchedulerLike,
  Subject,
  startWith,
} from 'rxjs'
import type { Place } from '../stream/index.js'
import { later } from '../stream/later.js'
import { Late } from './outage.js'
import type { Answer } from './Transport.js'

/** What came, and what it says. */
export type Body = Required<Pick<Answer, 'body' | 'parts'>>

/**
 * The whole body of an answer, read in some place; fails as `Late` when no further part of it comes within
 * `limit` ms.
 */
export const wholeBody = (
  response: Response,
  place: Place,
  limit: number,
  scheduler: SchedulerLike,
): Observable<Body> =>
  defer(() => {
    const heard = new Subject<void>()
    const stalled = heard.pipe(
      startWith(undefined),
      debounce(() => later(limit, scheduler)),
      map((): never => {
        throw new Late('body', limit)
      }),
    )
    return race(
      read(response, place, () => heard.next()),
      stalled,
    )
  })

const read = async ({ body }: Response, place: Place, heard: () => void): Promise<Body> => {
  const stream: AsyncIterable<Uint8Array> | null = body
  const parts: Array<Uint8Array> = []
  for await (const part of stream ?? []) {
    heard()
    parts.push(part)
  }
  return { parts, body: new TextDecoder().decode(joined(parts, place)) }
}

const joined = (parts: ReadonlyArray<Uint8Array>, place: Place): Uint8Array => {
  const all = place(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
