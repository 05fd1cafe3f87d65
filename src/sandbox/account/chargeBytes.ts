/**
 * A charge of the account as the bytes of its JSON: the one place that says what the n-th charge is.
 * Written directly, because encoding by codec is what a page of 2,000 rows would spend its time on.
 */
import { ChargeReason } from '../../codec/Charge.js'
import { R } from '../../fp.js'
import { copy, encoded, hex, hundredths, whole } from './ascii.js'
import type { ChargeIds } from './chargeIds.js'
import { type Columns, PERIOD } from './columns.js'
import { hash, subSeed } from './hash.js'
import { time } from './time.js'

// model

/** Writes a charge that was created in this second, and returns the position behind. */
export type WriteCharge = (
  index: number,
  created: number,
  to: Uint8Array,
  position: number,
) => number

/** The most bytes that a charge takes. */
export const ROOM = 384

// constructors

/** A currency without cents (ISO 4217). */
const WHOLE = 'JPY'

const all = (texts: ReadonlyArray<string>): ReadonlyArray<Uint8Array> => texts.map(encoded)

const subjects = all([
  'Invoice ',
  'Order ',
  'Subscription ',
  'Payout ',
  'Membership ',
  'Booking ',
  'Shipment ',
])

const reasons = all(
  R.keys(ChargeReason.keys).filter((key): key is ChargeReason => ChargeReason.is(key)),
)

const nothing = new Uint8Array()

const one = (among: ReadonlyArray<Uint8Array>, n: number): Uint8Array =>
  among[n % among.length] ?? nothing

const ID = encoded('{"id":"')
const AMOUNT = encoded('","amount":')
const CURRENCY = encoded(',"currency":"')
const REASON = encoded('","reason":"')
const REFERENCE = encoded('","reference":"')
const REQUEST_ID = encoded('","request_id":"')
const SOURCE = encoded('","source":"')
const FEE = encoded('","fee":')
const SHORT = encoded(',"short_reference_id":"CH')
const STATUS = encoded('","status":"')
const CREATED = encoded('","created_at":"')
const UPDATED = encoded('","updated_at":"')
const END = encoded('"}')

/** 0.3 %, in whole units of what the amount is told in: cents, say. */
export const feeOf = (amount: number): number => Math.round(amount * 0.003)

/** In hundredths: mostly 1 to 1,000 units, one in sixteen up to 50,000. */
const amountOf = (random: number): number =>
  ((random & 15) === 0 ? 50 : 1) * ((random >>> 4) % 100_000) + 100

const rounded = (n: number): number => Math.round(n / 100) * 100

export const chargeBytes = (
  seed: number,
  { writeId, writeRequestId }: ChargeIds,
  columns: Columns,
): WriteCharge => {
  const key = subSeed(seed, 5)
  const isNew = columns.status.map((status) => status === 'NEW')
  const isWhole = columns.currency.map((currency) => currency === WHOLE)
  const status = all(columns.status)
  const currency = all(columns.currency)
  const source = all(columns.source)

  return (index, created, to, position) => {
    const slot = index % PERIOD
    const random = hash(index ^ key)
    const more = hash(random ^ key)
    const amount = isWhole[slot] ? rounded(amountOf(random)) : amountOf(random)
    const fee = isWhole[slot] ? feeOf(amount / 100) * 100 : feeOf(amount)
    const updated = isNew[slot] ? created : created + 1 + (more % 7_200)
    let end = writeId(index, to, copy(ID, to, position))
    end = hundredths(amount, to, copy(AMOUNT, to, end))
    end = copy(one(currency, slot), to, copy(CURRENCY, to, end))
    end = copy(one(reasons, more), to, copy(REASON, to, end))
    end = copy(one(subjects, random), to, copy(REFERENCE, to, end))
    end = whole(more >>> 12, to, end)
    end = writeRequestId(index, to, copy(REQUEST_ID, to, end))
    end = copy(one(source, slot), to, copy(SOURCE, to, end))
    end = hundredths(fee, to, copy(FEE, to, end))
    end = hex(more, 8, to, copy(SHORT, to, end))
    end = copy(one(status, slot), to, copy(STATUS, to, end))
    end = time(created, to, copy(CREATED, to, end))
    end = time(updated, to, copy(UPDATED, to, end))
    return copy(END, to, end)
  }
}
