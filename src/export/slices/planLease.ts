/** The folder of a plan, while one process changes the plan or assembles it. */
import { asyncScheduler, type SchedulerLike } from 'rxjs'
import type { FileSystem } from '../../store/FileSystem.js'
import { type Lease, takeLease } from '../../store/lease.js'
import type { Millis } from '../../stream/index.js'
import { type OpenedFiles, openPlace } from '../file/openFileDestination.js'
import type { Paths } from '../file/paths.js'
import { openFiles, type ReachOptions } from '../storage/openFiles.js'

export interface PlanLease extends OpenedFiles {
  readonly fileSystem: FileSystem
  readonly lease: Lease
}

/** Takes the lease; rejects with `Locked` when another process has it. */
export const takePlan = async (
  out: string,
  paths: Paths,
  options: ReachOptions & {
    readonly timer?: SchedulerLike | undefined
    readonly lease?: Millis | undefined
    readonly restart?: boolean
  },
): Promise<PlanLease> => {
  const { timer = asyncScheduler, lease: length, restart = false } = options
  const fileSystem = await openFiles(out, options)
  const opened = await openPlace(fileSystem, paths)
  const lease = await takeLease({ ...opened.keptAt, timer, length, restart })
  return { ...opened, fileSystem, lease }
}
