/** Charges that are created while the sandbox runs. Their status depends on the time. */

import type { Charge, ChargeStatus } from '../../codec/Charge.js'
import type { CollectionItem } from '../Collection.js'
import {
  type CompleteNewCharge,
  type Filter,
  feeOf,
  type GeneratedCharges,
} from './generatedCharges.js'
import { hash, hex8 } from './hash.js'
import { idOf } from './ids.js'
import { numbersOf } from './money.js'
import { instantAt } from './time.js'

export interface CreatedCharge extends CompleteNewCharge, CollectionItem {
  readonly request_id: string
  /** Time of creation, in ms since 1970. */
  readonly at: number
}

/** Time and sandbox, which determine the status of a charge. */
export interface ChargeContext {
  /** Time of the view, in ms since 1970. */
  readonly now: number
  readonly generated: GeneratedCharges
  readonly settings: {
    readonly seed: number
    /** Time that a charge stays in each status, in ms. */
    readonly settleAfter: number
  }
}

export const chargeAt = (context: ChargeContext, created: CreatedCharge): Charge => {
  const { at, request_id, source, currency } = created
  const n = context.generated.count + created.n
  const amount = shownAmount(String(created.amount))
  return {
    id: idOf('charge', context.settings.seed, n),
    ...amount,
    currency,
    reason: created.reason,
    reference: created.reference,
    request_id,
    source,
    fee: feeOf(amount.amount, currency),
    short_reference_id: `CH${hex8(hash(n))}`,
    status: statusAt(context, created),
    created_at: instantAt(listedAt(context, at)),
    updated_at: instantAt(
      listedAt(context, at + stepAt(context, created) * context.settings.settleAfter),
    ),
  }
}

/** Returns the amount as a number. Adds its digits if a double cannot represent it. */
const shownAmount = (text: string): Pick<Charge, 'amount'> =>
  /^(0|[1-9]\d*)(\.\d+)?$/.test(text) ? numbersOf({ amount: text }) : { amount: Number(text) }

/** Returns true if a list with this filter contains the charge at this time. */
export const isListed = (
  context: ChargeContext,
  filter: Filter,
  charge: CreatedCharge,
): boolean => {
  const at = listedAt(context, charge.at)
  return (
    (filter.currency ?? charge.currency) === charge.currency &&
    (filter.source ?? charge.source) === charge.source &&
    (filter.request_id ?? charge.request_id) === charge.request_id &&
    (filter.from ?? at) <= at &&
    (filter.to ?? at) >= at &&
    (filter.status === undefined || filter.status === statusAt(context, charge))
  )
}

/** Returns the time of creation in lists, in ms since 1970: whole seconds, never before the generated charges. */
const listedAt = ({ generated }: ChargeContext, ms: number): number =>
  Math.max(generated.until, Math.floor(ms / 1_000)) * 1_000

const statusAt = (context: ChargeContext, charge: CreatedCharge): ChargeStatus =>
  statusesOf(charge.source)[stepAt(context, charge)] ?? 'NEW'

const stepAt = ({ now, settings }: ChargeContext, { at, source }: CreatedCharge): number => {
  const last = statusesOf(source).length - 1
  return settings.settleAfter > 0
    ? Math.min(last, Math.max(0, Math.floor((now - at) / settings.settleAfter)))
    : last
}

/** Returns the statuses of a charge over time, each with its time in ms since 1970. */
export const chargeSteps = (
  { at, source }: CreatedCharge,
  { settleAfter }: ChargeContext['settings'],
): ReadonlyArray<{ readonly at: number; readonly status: ChargeStatus }> => {
  const steps = statusesOf(source).map((status, step) => ({ at: at + step * settleAfter, status }))
  return settleAfter > 0 ? steps : steps.slice(-1)
}

/** Returns the statuses of a charge in order. The suffix of its source decides them, as in `acct_1_failed`. */
const statusesOf = (source: string): ReadonlyArray<ChargeStatus> => {
  if (source.endsWith('_pending')) return ['NEW', 'PENDING']
  if (source.endsWith('_failed')) return ['NEW', 'PENDING', 'FAILED']
  if (source.endsWith('_suspended')) return ['NEW', 'PENDING', 'SUSPENDED']
  return ['NEW', 'SETTLED']
}
