/** Rows of a list as the bytes of their JSON, not written yet. */
import { copy, encoded, type Write } from './ascii.js'

// model

export interface Rows {
  readonly size: number
  /** The most that writing them takes, in bytes. */
  readonly room: number
  /** With commas between, none around. */
  readonly write: Write
}

// constructors

const COMMA = encoded(',')

/** `size` rows that take up to `room` bytes each, the n-th as `one` writes it. */
export const rows = (
  size: number,
  room: number,
  one: (n: number, to: Uint8Array, position: number) => number,
): Rows => ({
  size,
  room: size * (room + 1),
  write: (to, start) => {
    let position = start
    for (let n = 0; n < size; n++) {
      position = one(n, to, n === 0 ? position : copy(COMMA, to, position))
    }
    return position
  },
})

/** Rows that are JSON text already. */
export const texts = (all: ReadonlyArray<string>): Rows => {
  const bytes = encoded(all.join(','))
  return {
    size: all.length,
    room: bytes.length,
    write: (to, position) => copy(bytes, to, position),
  }
}

// combinators

export const followedBy =
  (second: Rows) =>
  (first: Rows): Rows =>
    first.size === 0
      ? second
      : second.size === 0
        ? first
        : {
            size: first.size + second.size,
            room: first.room + COMMA.length + second.room,
            write: (to, position) => second.write(to, copy(COMMA, to, first.write(to, position))),
          }
