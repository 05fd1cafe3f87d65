/** The queue of slices: its names in Redis, and its jobs. */
import type { JobsOptions } from 'bullmq'
import type { PlannedSlice } from '../export/index.js'
import type { AnyPosition } from '../export/source/SourcePage.js'

// model

/** A slice for a worker: plain JSON, without secrets. */
export interface SliceJob {
  /** The folder of the plan. */
  readonly out: string
  readonly slice: PlannedSlice
  readonly maxRejects?: number
  /** How often its workers had been lost when it came further last. */
  readonly stalls?: number
}

/** How far a slice is, as its worker says. */
export interface SliceProgress {
  readonly rows: number
  readonly rejects: number
  readonly pages: number
  /** The position of all that is left of it. */
  readonly next?: AnyPosition
}

// names

export const QUEUE = 'slices'

/** Begins all keys of an account: only its workers see its jobs. In a cluster, they are on one node. */
export const prefixOf = (account: string): string => `{payments-rx:${account.slice(0, 16)}}`

/** Names the job of a slice: each command that adds the slice joins that job. */
export const jobIdOf = ({ plan, number }: PlannedSlice): string => `${plan.slice(0, 32)}-${number}`

// constants

export const JOB_OPTIONS: JobsOptions = {
  attempts: 5,
  backoff: { type: 'exponential', delay: 5_000 },
  /** For those who wait for it, in seconds: a day. */
  removeOnComplete: { age: 86_400 },
}
