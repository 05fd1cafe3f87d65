/** State of a tap: what the next run needs to go on, as the target hands it back. */
import * as t from 'io-ts'
import { fieldsOf } from '../../decode/unknown.js'
import { E } from '../../fp.js'
import { type AnyPosition, KeptPosition } from '../SourcePage.js'

const bookmark = t.intersection([
  t.type({
    /** SHA-256 of base URL, client id, login-as and on-behalf-of: a state is not used for another account. */
    account: t.string,
  }),
  t.partial({
    /** An unfinished read: all that is left of it. */
    position: KeptPosition,
    /** A finished read of a stream by times of creation: the end of what it covered, in ms since 1970. */
    up_to: t.number,
    /** A finished read of a whole list: its time, in ms since 1970. */
    read_at: t.number,
  }),
])

/** How far a stream has been read. */
export interface Bookmark extends Readonly<t.TypeOf<typeof bookmark>> {
  readonly position?: AnyPosition
}

/** How far the streams have been read, by their names. */
export type Bookmarks = Readonly<Record<string, Bookmark>>

const state = t.partial({ bookmarks: t.record(t.string, bookmark) })

/**
 * Reads a state. A Left names what is wrong. `{}`, and a target that wrapped the state in the whole STATE message,
 * are both accepted.
 */
export const readState = (u: unknown): E.Either<string, Bookmarks> => {
  const { type, value } = fieldsOf(u)
  const read = state.decode(type === 'STATE' ? value : u)
  return E.isRight(read)
    ? E.right(read.right.bookmarks ?? {})
    : E.left('it should be the value of a STATE message of this tap, or {}')
}
