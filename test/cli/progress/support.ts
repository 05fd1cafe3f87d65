/** Readings made by hand, from one of a run at its ceiling. */

import { type ExportCounters, NO_COUNTERS } from '../../../src/cli/progress/ExportCounters.js'
import type { ProgressSample } from '../../../src/cli/progress/ProgressMonitor.js'
import type { SchedulerState, TierSnapshot } from '../../../src/scheduler/index.js'

export const COUNTERS: ExportCounters = {
  ...NO_COUNTERS,
  rows: 1_234_000,
  pages: 617,
  requests: 618,
  share: 0.47,
}

export const tier = (changes: Partial<TierSnapshot> = {}): TierSnapshot => ({
  name: 'endpoint',
  kind: 'rate',
  limit: 20,
  per: 1_000,
  keys: 1,
  used: 20,
  usedMost: 20,
  inFlight: 3,
  waiting: 0,
  allowed: 20,
  guard: 2,
  refused: 0,
  share: 1,
  lowered: undefined,
  perKey: [],
  ...changes,
})

export const state = (changes: Partial<SchedulerState> = {}): SchedulerState => ({
  waiting: 0,
  inFlight: 3,
  backingOff: 0,
  started: 620,
  refused: 0,
  waitingKeys: 0,
  waitingByKey: [],
  tiers: [tier()],
  ...changes,
})

export const SAMPLE: ProgressSample = {
  elapsedMs: 31_000,
  isCounting: false,
  counters: COUNTERS,
  rowsPerSecond: 39_800,
  msLeft: 35_400,
  quota: 0.98,
  scheduler: state(),
  paused: 0,
  stallReasons: [],
}
