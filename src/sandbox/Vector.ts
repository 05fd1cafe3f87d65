/**
 * Rows by position, and never changed: `push` and `set` give a new one and leave the old one as it is.
 * Both copy one chunk of rows and the list of chunks, so ten thousand rows are no slower than ten.
 */
import { O } from '../fp.js'

// model

export interface Vector<A> {
  readonly length: number
  /** `CHUNK` rows each, the last one maybe fewer. */
  readonly chunks: ReadonlyArray<ReadonlyArray<A>>
}

/** Rows a chunk. */
const CHUNK = 128

// constructors

/** Of nothing but `undefined`: its chunks are one and the same. */
export const blank = (length: number): Vector<undefined> => {
  const chunk = Array.from({ length: CHUNK }, () => undefined)
  const chunks = Array.from({ length: Math.floor(length / CHUNK) }, () => chunk)
  const rest = length % CHUNK
  return { length, chunks: rest === 0 ? chunks : [...chunks, chunk.slice(0, rest)] }
}

// combinators

const withChunk = <A>(
  { chunks }: Vector<A>,
  length: number,
  n: number,
  chunk: ReadonlyArray<A>,
): Vector<A> => ({
  length,
  chunks: n < chunks.length ? chunks.with(n, chunk) : [...chunks, chunk],
})

/** At the end. */
export const push =
  <A>(row: A) =>
  (to: Vector<A>): Vector<A> => {
    const n = Math.floor(to.length / CHUNK)
    return withChunk(to, to.length + 1, n, [...(to.chunks[n] ?? []), row])
  }

/** In place of the row that is there; the same vector if there is none. */
export const set =
  <A>(position: number, row: A) =>
  (to: Vector<A>): Vector<A> => {
    const n = Math.floor(position / CHUNK)
    const chunk = to.chunks[n]
    return chunk === undefined || position >= to.length
      ? to
      : withChunk(to, to.length, n, chunk.with(position % CHUNK, row))
  }

export const at =
  (position: number) =>
  <A>({ chunks }: Vector<A>): O.Option<A> =>
    O.fromNullable(chunks[Math.floor(position / CHUNK)]?.[position % CHUNK])
