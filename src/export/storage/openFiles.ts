import { asyncScheduler, type SchedulerLike } from 'rxjs'
import { withoutPrototype } from '../../fp.js'
import { disk, type FileSystem } from '../../store/FileSystem.js'
import { processEnvironment, s3Location } from '../../store/S3Location.js'
import { type OnWait, type Waits, waitsInWords } from '../../store/Waits.js'
import { type FilesLocation, isInBucket } from '../location/Location.js'
import { diskFiles } from './diskFiles.js'
import type { Files } from './Files.js'

export interface ReachOptions {
  /** The file system. Default: the disk. */
  readonly files?: FileSystem | undefined
  /** Variables such as `AWS_REGION`, for `s3://`. Default: those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Timer for the pauses between attempts, for `s3://`. Default `asyncScheduler`. */
  readonly timer?: SchedulerLike | undefined
}

/** How files are accessed, and how waits for them are reported. */
export interface WatchedReach extends ReachOptions {
  readonly waits?: Waits | undefined
  /** Receives messages about waits if there are no `waits`. Default: `console.warn`. */
  readonly onWait?: OnWait | undefined
}

/** Opens the files in the folder of a location, which are objects or files on the disk. */
export const openFiles = async (at: FilesLocation, options: WatchedReach): Promise<Files> => {
  const { folder } = at
  const { files, env, onWait, timer = asyncScheduler } = withoutPrototype(options)
  if (files !== undefined || !isInBucket(at)) return diskFiles(folder, files ?? disk)
  const [{ bucketFiles }, { ObjectStorage }] = await Promise.all([
    import('./bucketFiles.js'), // loaded on demand, for a fast start
    import('../../store/ObjectStorage.js'),
  ])
  const location = await s3Location(folder, processEnvironment(env))
  const waits = options.waits ?? waitsInWords(folder, timer, onWait)
  return bucketFiles(new ObjectStorage(location, { timer, waits }))
}
