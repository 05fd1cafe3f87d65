/** The folder of a plan, while one process changes the plan or assembles it. */
import { asyncScheduler, type SchedulerLike } from 'rxjs'
import { type Lease, takeLease } from '../../store/lease.js'
import type { Millis } from '../../stream/index.js'
import type { OpenedFiles } from '../file/openFileDestination.js'

export interface PlanLease extends OpenedFiles {
  readonly lease: Lease
}

/** Takes the lease; rejects with `Locked` when another process has it. */
export const takePlan = async (
  opened: OpenedFiles,
  options: {
    readonly timer?: SchedulerLike | undefined
    readonly lease?: Millis | undefined
    readonly restart?: boolean
  },
): Promise<PlanLease> => {
  const { timer = asyncScheduler, lease: length, restart = false } = options
  const lease = await takeLease({ ...opened.stateText, timer, length, restart })
  return { ...opened, lease }
}
