/** Identifiers that hold the number of their charge, so that it is found without an index. */
import { O, pipe } from '../../fp.js'
import { hex4, hex8 } from './digits.js'
import { keyOf, mix, unmix } from './mix.js'

// model

export interface ChargeIds {
  /** `chg_` and 8 hexadecimal digits. */
  readonly id: (index: number) => string
  /** The shape of a UUID, version 4. */
  readonly requestId: (index: number) => string
  readonly indexOfId: (id: string) => O.Option<number>
  readonly indexOfRequestId: (requestId: string) => O.Option<number>
}

// constructors

const ID = /^chg_[0-9a-f]{8}$/
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const chargeIds = (seed: number): ChargeIds => {
  const idKey = keyOf(seed, 3)
  const requestKey = keyOf(seed, 4)
  const requestId = (index: number): string => {
    const a = mix(index ^ requestKey)
    const b = mix(a ^ idKey)
    const c = mix(b ^ requestKey)
    return `${hex8(a)}-${hex4(b >>> 16)}-${hex4((b & 0x0fff) | 0x4000)}-${hex4(((c >>> 16) & 0x3fff) | 0x8000)}-${hex4(c)}${hex8(mix(c))}`
  }
  return {
    id: (index) => `chg_${hex8(mix(index ^ idKey))}`,
    requestId,
    indexOfId: (id) =>
      ID.test(id) ? O.some((unmix(Number.parseInt(id.slice(4), 16)) ^ idKey) >>> 0) : O.none,
    indexOfRequestId: (text) =>
      pipe(
        UUID.test(text)
          ? O.some((unmix(Number.parseInt(text.slice(0, 8), 16)) ^ requestKey) >>> 0)
          : O.none,
        O.filter((index) => requestId(index) === text),
      ),
  }
}
