/** State of a tap: what the next run needs to go on, as the target hands it back. */
import * as t from 'io-ts'
import { fieldsOf, isRecord } from '../../decode/unknown.js'
import { E } from '../../fp.js'
import { type AnyPosition, KeptPosition } from '../source/SourcePage.js'

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
 * Reads a state. A Left names what is wrong. `{}`, a target that wrapped the state in the whole STATE message, and
 * bookmarks that are null are accepted.
 */
export const readState = (u: unknown): E.Either<string, Bookmarks> => {
  const { type, value } = fieldsOf(u)
  const given = type === 'STATE' ? value : u
  const { bookmarks } = fieldsOf(given)
  // some runners write null for a stream that has no bookmark yet
  const present = isRecord(bookmarks)
    ? Object.fromEntries(Object.entries(bookmarks).filter(([, one]) => one !== null))
    : (bookmarks ?? undefined)
  const read = state.decode(isRecord(given) ? { ...given, bookmarks: present } : given)
  return E.isRight(read)
    ? E.right(read.right.bookmarks ?? {})
    : E.left('it should be the value of a STATE message of this tap, or {}')
}
