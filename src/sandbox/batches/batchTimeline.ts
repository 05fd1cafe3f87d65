/**
 * The statuses of a batch over time. They are a list of steps, which is derived from the calls made on the batch.
 *
 *     submitted    approval      funding                      booking
 *     DRAFTING  -> IN_APPROVAL -> SCHEDULED  SCHEDULED ...  -> BOOKING            -> BOOKED
 *                                 SCHEDULED  PROCESSING       FUNDED   #1 #2 #3
 */
import type { BatchStatus } from '../../codec/BatchTransfer.js'
import { E } from '../../fp.js'
import type { Settings } from '../options.js'
import { type SandboxBatch, validItems } from './Batch.js'
import { isBookable } from './batchItems.js'

export type FundingStatus = 'SCHEDULED' | 'PROCESSING' | 'FUNDED' | 'FAILED' | 'REVERSED'

/** A batch's statuses from `at` until the next step. */
export interface BatchStep {
  /** Time of the step, in ms since 1970. */
  readonly at: number
  readonly status: BatchStatus
  readonly funding: FundingStatus
}

export type BatchTimeline = readonly [BatchStep, ...ReadonlyArray<BatchStep>]

/** Returns all steps of the batch, past and future, assuming that no further call changes it. */
export const batchTimeline = (batch: SandboxBatch, settings: Settings): BatchTimeline => {
  const { submittedAt, changedAt } = batch
  return [
    { at: changedAt, status: 'DRAFTING', funding: 'SCHEDULED' },
    ...(submittedAt === undefined ? [] : approvalSteps(batch, submittedAt, settings)),
  ]
}

export const stepAt = (timeline: BatchTimeline, now: number): BatchStep =>
  timeline.findLast(({ at }) => at <= now) ?? timeline[0]

/** Returns the time at which booking starts, in ms since 1970; `undefined` if it never does. */
export const bookingStart = (timeline: BatchTimeline): number | undefined =>
  timeline.find(({ status }) => status === 'BOOKING')?.at

type Steps = ReadonlyArray<BatchStep>

const approvalSteps = (batch: SandboxBatch, at: number, settings: Settings): Steps => {
  const { approval, approveAfter } = settings
  const waiting: BatchStep = { at, status: 'IN_APPROVAL', funding: 'SCHEDULED' }
  switch (approval) {
    case 'none':
      return fundingSteps(batch, at, settings)
    case 'undecided':
      return [waiting]
    case 'approved':
      return [waiting, ...fundingSteps(batch, at + approveAfter, settings)]
    default:
      return [waiting, { at: at + approveAfter, status: declined[approval], funding: 'SCHEDULED' }]
  }
}

const declined = {
  recalled: 'APPROVAL_RECALLED',
  rejected: 'APPROVAL_REJECTED',
  blocked: 'APPROVAL_BLOCKED',
} as const

const fundingSteps = (batch: SandboxBatch, from: number, settings: Settings): Steps => {
  const collected = from + 2 * settings.fundAfter
  const ready = Math.max(collected, transferDay(batch))
  const before: Steps = [
    { at: from, status: 'SCHEDULED', funding: 'SCHEDULED' },
    { at: from + settings.fundAfter, status: 'SCHEDULED', funding: 'PROCESSING' },
  ]
  switch (fundingOf(batch, settings)) {
    case 'failed':
      return [...before, { at: collected, status: 'FAILED', funding: 'FAILED' }]
    case 'overdue':
      return [
        ...before,
        { at: ready, status: 'OVERDUE', funding: 'PROCESSING' },
        ...bookingSteps(batch, ready + settings.fundAfter, settings),
      ]
    case 'cancelled':
      return [
        ...before,
        { at: collected, status: 'CANCELLATION_REQUESTED', funding: 'PROCESSING' },
        { at: collected + settings.fundAfter, status: 'CANCELLED', funding: 'PROCESSING' },
      ]
    default:
      return [
        ...before,
        { at: collected, status: 'SCHEDULED', funding: 'FUNDED' },
        ...bookingSteps(batch, ready, settings),
      ]
  }
}

const bookingSteps = (batch: SandboxBatch, from: number, settings: Settings): Steps => {
  const end = from + validItems(batch).length * settings.bookEvery
  const status = finalStatus(batch)
  const steps: Steps = [
    { at: from, status: 'BOOKING', funding: 'FUNDED' },
    { at: end, status, funding: 'FUNDED' },
  ]
  return fundingOf(batch, settings) === 'reversed'
    ? [...steps, { at: end + settings.fundAfter, status, funding: 'REVERSED' }]
    : steps
}

const finalStatus = (batch: SandboxBatch): BatchStatus => {
  const valid = validItems(batch)
  const booked = valid.filter(({ checked }) => E.isRight(checked) && isBookable(checked.right))
  if (booked.length === valid.length) return 'BOOKED'
  return booked.length === 0 ? 'FAILED' : 'PARTIALLY_BOOKED'
}

/** Returns the outcome of the funding. The suffix of the source decides it, or else the options do. */
const fundingOf = ({ params }: SandboxBatch, { funding }: Settings): Settings['funding'] => {
  const id = params.funding_source?.id ?? ''
  const endings = ['failed', 'overdue', 'reversed', 'cancelled'] as const
  return endings.find((ending) => id.endsWith(`_${ending}`)) ?? funding
}

/** Returns the earliest time of processing, in ms since 1970, which is the start of the transfer date in UTC. */
const transferDay = ({ params: { transfer_date } }: SandboxBatch): number =>
  transfer_date === undefined || transfer_date === '' ? 0 : Date.parse(transfer_date.slice(0, 10))
