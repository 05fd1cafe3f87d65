import { asyncScheduler, type SchedulerLike } from 'rxjs'
import { disk, type FileSystem } from '../../store/FileSystem.js'
import { isS3 } from '../../store/S3Location.js'

/** How the files of a path are reached. */
export interface ReachOptions {
  /** Default: the disk. */
  readonly files?: FileSystem | undefined
  /** Variables such as `AWS_REGION`, for `s3://`. Default: those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Waits between attempts, for `s3://`. Default `asyncScheduler`. */
  readonly timer?: SchedulerLike | undefined
}

/** Opens the file system of a path: the bucket of an `s3://` URL, or the disk. */
export const openFiles = async (
  path: string,
  { files, env, timer = asyncScheduler }: ReachOptions,
): Promise<FileSystem> => {
  if (files !== undefined || !isS3(path)) return files ?? disk
  const { openS3Files } = await import('./s3Files.js') // or not, to start fast
  return openS3Files(path, { env, timer })
}
