/** The door: a path or a URL, as it was given, becomes a folder and a name, and its files are opened. */
import { basename } from 'node:path'
import { asyncScheduler, type SchedulerLike } from 'rxjs'
import { withoutPrototype } from '../../fp.js'
import { disk, type FileSystem } from '../../store/FileSystem.js'
import { isS3, processEnvironment, s3Location } from '../../store/S3Location.js'
import { type OnWait, type Waits, waitsInWords } from '../../store/Waits.js'
import { diskFiles } from './diskFiles.js'
import type { Files } from './Files.js'

/** How files are reached. */
export interface ReachOptions {
  /** Default: the disk. */
  readonly files?: FileSystem | undefined
  /** Variables such as `AWS_REGION`, for `s3://`. Default: those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Waits between attempts, for `s3://`. Default `asyncScheduler`. */
  readonly timer?: SchedulerLike | undefined
}

/** How files are reached, and what tells that they are waited for. */
export interface WatchedReach extends ReachOptions {
  readonly waits?: Waits | undefined
  /** Takes that in words, where there are no `waits`. Default: `console.warn`. */
  readonly onWait?: OnWait | undefined
}

/** Where a file is, or a folder, whose `name` is empty. */
export interface Location {
  /** A path or a URL that ends with a slash; empty for the folder of the process. */
  readonly folder: string
  readonly name: string
}

/** A name that ends with a slash is a folder. */
export const isFolder = (path: string): boolean => /[\\/]$/.test(path)

/** Parses a path or a URL. */
export const locationOf = (path: string): Location => {
  const name = isFolder(path) ? '' : isS3(path) ? path.replace(/^.*\//s, '') : basename(path)
  return { folder: path.slice(0, path.length - name.length), name }
}

/** Opens the files of a folder: the objects below an `s3://` URL, or those on the disk. */
export const openFiles = async (folder: string, options: WatchedReach): Promise<Files> => {
  const { files, env, onWait, timer = asyncScheduler } = withoutPrototype(options)
  if (files !== undefined || !isS3(folder)) return diskFiles(folder, files ?? disk)
  const [{ bucketFiles }, { ObjectStorage }] = await Promise.all([
    import('./bucketFiles.js'), // or not, to start fast
    import('../../store/ObjectStorage.js'),
  ])
  const location = await s3Location(folder, processEnvironment(env))
  const waits = options.waits ?? waitsInWords(folder, timer, onWait)
  return bucketFiles(new ObjectStorage(location, { timer, waits }))
}
