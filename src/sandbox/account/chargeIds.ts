/** Identifiers that hold the number of their charge, so that it is found without an index. */
import { O, pipe } from '../../fp.js'
import { copy, decoded, encoded, hex, written } from './ascii.js'
import { hash, subSeed, unhash } from './hash.js'

// model

/** Writes the identifier of a charge, and returns the position behind. */
type WriteId = (index: number, to: Uint8Array, position: number) => number

export interface ChargeIds {
  /** `chg_` and 8 hexadecimal digits. */
  readonly writeId: WriteId
  /** The shape of a UUID, version 4. */
  readonly writeRequestId: WriteId
  readonly id: (index: number) => string
  readonly requestId: (index: number) => string
  readonly indexOfId: (id: string) => O.Option<number>
  readonly indexOfRequestId: (requestId: string) => O.Option<number>
}

// constructors

const ID = /^chg_[0-9a-f]{8}$/
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const PREFIX = encoded('chg_')
/** `-` in ASCII. */
const DASH = 45

export const chargeIds = (seed: number): ChargeIds => {
  const idKey = subSeed(seed, 3)
  const requestKey = subSeed(seed, 4)

  const writeId: WriteId = (index, to, position) =>
    hex(hash(index ^ idKey), 8, to, copy(PREFIX, to, position))

  const writeRequestId: WriteId = (index, to, position) => {
    const a = hash(index ^ requestKey)
    const b = hash(a ^ idKey)
    const c = hash(b ^ requestKey)
    hex(a, 8, to, position)
    to[position + 8] = DASH
    hex(b >>> 16, 4, to, position + 9)
    to[position + 13] = DASH
    hex((b & 0x0fff) | 0x4000, 4, to, position + 14)
    to[position + 18] = DASH
    hex(((c >>> 16) & 0x3fff) | 0x8000, 4, to, position + 19)
    to[position + 23] = DASH
    hex(c, 4, to, position + 24)
    return hex(hash(c), 8, to, position + 28)
  }

  const id = (index: number): string =>
    decoded(written(12, (to, position) => writeId(index, to, position)))

  const requestId = (index: number): string =>
    decoded(written(36, (to, position) => writeRequestId(index, to, position)))

  return {
    writeId,
    writeRequestId,
    id,
    requestId,
    indexOfId: (text) =>
      ID.test(text) ? O.some((unhash(Number.parseInt(text.slice(4), 16)) ^ idKey) >>> 0) : O.none,
    indexOfRequestId: (text) =>
      pipe(
        UUID.test(text)
          ? O.some((unhash(Number.parseInt(text.slice(0, 8), 16)) ^ requestKey) >>> 0)
          : O.none,
        O.filter((index) => requestId(index) === text),
      ),
  }
}
