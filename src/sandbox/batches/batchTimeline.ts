/**
 * What becomes of a batch as time passes: a list of moments that follows from what was done to it.
 *
 *     submitted    approval      money                        booking
 *     DRAFTING  -> IN_APPROVAL -> SCHEDULED  SCHEDULED ...  -> BOOKING            -> BOOKED
 *                                 SCHEDULED  PROCESSING       FUNDED   #1 #2 #3
 */
import type { BatchStatus } from '../../codec/BatchTransfer.js'
import { E } from '../../fp.js'
import type { Settings } from '../settings.js'
import { type Batch, validItems } from './Batch.js'
import { isBookable } from './checked.js'
import type { FundingCourse } from './options.js'

// model

export type FundingStatus = 'SCHEDULED' | 'PROCESSING' | 'FUNDED' | 'FAILED' | 'REVERSED'

/** From this moment on, until the next step. */
export interface Step {
  /** In ms since 1970. */
  readonly at: number
  readonly status: BatchStatus
  readonly funding: FundingStatus
}

export type BatchTimeline = readonly [Step, ...ReadonlyArray<Step>]

// constructors

const endings = {
  _failed: 'failed',
  _overdue: 'overdue',
  _reversed: 'reversed',
  _cancelled: 'cancelled',
} as const

/** The funding source decides, or else the options of the sandbox. */
const fundingOf = ({ asked }: Batch, { funding }: Settings): FundingCourse => {
  const id = asked.funding_source?.id ?? ''
  return Object.entries(endings).find(([ending]) => id.endsWith(ending))?.[1] ?? funding
}

const decisions = {
  recalled: 'APPROVAL_RECALLED',
  rejected: 'APPROVAL_REJECTED',
  blocked: 'APPROVAL_BLOCKED',
} as const

const statusAtTheEnd = (batch: Batch): BatchStatus => {
  const valid = validItems(batch)
  const booked = valid.filter(({ checked }) => E.isRight(checked) && isBookable(checked.right))
  return booked.length === valid.length
    ? 'BOOKED'
    : booked.length === 0
      ? 'FAILED'
      : 'PARTIALLY_BOOKED'
}

const booking = (batch: Batch, from: number, settings: Settings): ReadonlyArray<Step> => {
  const end = from + validItems(batch).length * settings.bookEvery
  const last = statusAtTheEnd(batch)
  const all: ReadonlyArray<Step> = [
    { at: from, status: 'BOOKING', funding: 'FUNDED' },
    { at: end, status: last, funding: 'FUNDED' },
  ]
  return fundingOf(batch, settings) === 'reversed'
    ? [...all, { at: end + settings.fundAfter, status: last, funding: 'REVERSED' }]
    : all
}

/** From when it is to be processed, in ms since 1970: the beginning of its day in UTC. */
const due = ({ asked: { transfer_date } }: Batch): number =>
  transfer_date === undefined || transfer_date === '' ? 0 : Date.parse(transfer_date.slice(0, 10))

const scheduled = (batch: Batch, from: number, settings: Settings): ReadonlyArray<Step> => {
  const collected = from + 2 * settings.fundAfter
  const ready = Math.max(collected, due(batch))
  const before: ReadonlyArray<Step> = [
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
        ...booking(batch, ready + settings.fundAfter, settings),
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
        ...booking(batch, ready, settings),
      ]
  }
}

const submitted = (batch: Batch, at: number, settings: Settings): ReadonlyArray<Step> => {
  const { approval, approveAfter } = settings
  const waiting: Step = { at, status: 'IN_APPROVAL', funding: 'SCHEDULED' }
  switch (approval) {
    case 'none':
      return scheduled(batch, at, settings)
    case 'undecided':
      return [waiting]
    case 'approved':
      return [waiting, ...scheduled(batch, at + approveAfter, settings)]
    default:
      return [waiting, { at: at + approveAfter, status: decisions[approval], funding: 'SCHEDULED' }]
  }
}

/** All that becomes of it, if nothing else is done to it. */
export const batchTimeline = (batch: Batch, settings: Settings): BatchTimeline => {
  const { submittedAt, changedAt } = batch
  return [
    { at: changedAt, status: 'DRAFTING', funding: 'SCHEDULED' },
    ...(submittedAt === undefined ? [] : submitted(batch, submittedAt, settings)),
  ]
}

// combinators

/** Where it stands at a moment, in ms since 1970. */
export const stepAt = (course: BatchTimeline, now: number): Step =>
  course.findLast(({ at }) => at <= now) ?? course[0]

/** When its items began to be booked, or will, in ms since 1970; never for undefined. */
export const bookingFrom = (course: BatchTimeline): number | undefined =>
  course.find(({ status }) => status === 'BOOKING')?.at
