/**
 * A charge of the account as JSON text: the one place that says what the n-th charge is. Written
 * directly, because encoding values by codec is what a page of 2,000 rows would spend its time on.
 */
import { type ChargeReason, ChargeReason as Reason } from '../../codec/Charge.js'
import { R } from '../../fp.js'
import type { ChargeIds } from './chargeIds.js'
import { type Columns, PERIOD } from './columns.js'
import { hex8, timeText } from './digits.js'
import { keyOf, mix } from './mix.js'

/** Charges without cents (ISO 4217 has no minor unit for yen). */
const WHOLE = 'JPY'

const subjects = ['Invoice', 'Order', 'Subscription', 'Payout', 'Membership', 'Booking', 'Shipment']

const reasons: ReadonlyArray<ChargeReason> = R.keys(Reason.keys).filter(Reason.is)

/** 0.3 %, in hundredths of the unit. */
export const feeOf = (hundredths: number): number => Math.round(hundredths * 0.003)

export const chargeText = (
  seed: number,
  ids: ChargeIds,
  { status, currency, source }: Columns,
): ((index: number, createdSecond: number) => string) => {
  const key = keyOf(seed, 5)
  return (index, created) => {
    const slot = index % PERIOD
    const random = mix(index ^ key)
    const more = mix(random ^ key)
    const state = status[slot] ?? 'SETTLED'
    const unit = currency[slot] ?? 'USD'
    // mostly 1 to 1,000 units, one in sixteen up to 50,000
    const hundredths = ((random & 15) === 0 ? 50 : 1) * ((random >>> 4) % 100_000) + 100
    const cents = unit === WHOLE ? Math.floor(hundredths / 100) * 100 : hundredths
    const fee = unit === WHOLE ? Math.round(feeOf(cents) / 100) : feeOf(cents) / 100
    const updated = state === 'NEW' ? created : created + 1 + (more % 7_200)
    return `{"id":"${ids.id(index)}","amount":${cents / 100},"currency":"${unit}","reason":"${reasons[more % reasons.length]}","reference":"${subjects[random % subjects.length]} ${more >>> 12}","request_id":"${ids.requestId(index)}","source":"${source[slot]}","fee":${fee},"short_reference_id":"CH${hex8(more)}","status":"${state}","created_at":"${timeText(created)}","updated_at":"${timeText(updated)}"}`
  }
}
