/** Folders and buckets as destinations of a sync. */
import type { SchedulerLike } from 'rxjs'
import { randomName } from '../../store/FileSystem.js'
import { renamed } from '../../store/Store.js'
import type { Waits } from '../../store/Waits.js'
import { type Column, columnsOf } from '../column/Column.js'
import type { Shape } from '../column/Shape.js'
import { formatOfShape } from '../format/formatOf.js'
import { type FilesLocation, isInBucket } from '../location/Location.js'
import { openFiles } from '../storage/openFiles.js'
import { type Destination, GONE } from '../transfer/Destination.js'
import { textBase } from './BaseFormat.js'
import { folderDestination } from './mergedFolder.js'
import { parquetBase } from './parquetBase.js'

export interface OpenFolderOptions {
  readonly at: FilesLocation
  /** Name of the list, such as `charges`. */
  readonly list: string
  readonly shape: Shape
  readonly replaces: boolean
  readonly format: 'ndjson' | 'parquet'
  readonly env: Readonly<Record<string, string | undefined>> | undefined
  readonly timer: SchedulerLike
  readonly waits: Waits
}

/** Interval between steps, in ms. At the platform's maximum of 40,000 rows per second, each step has 8,000 rows. */
const DISK_STEP = 200
/** Interval between steps in a bucket, in ms. Each step takes two requests of about 50 ms. */
const BUCKET_STEP = 500

/** Column with the time at which a row was found to be gone, in files of rows by time or by parent. */
const GONE_COLUMN: Column = { name: GONE, path: [GONE], type: 'time', isDescribed: true }

/** Opens a folder, creating it if missing. Rejects with an `UnusablePath` if it cannot be used. */
export const openFolder = async <A>(options: OpenFolderOptions): Promise<Destination<A>> => {
  const { at, list, shape, replaces, format } = options
  const files = await openFiles(at, options)
  await files.prepare()
  const store = renamed(files.store(), (name) => `_${name}.json`)
  const incoming = formatOfShape<A>(shape)({ format: 'ndjson', compress: 'zstd' })
  const common = {
    ...{ files, store, list, incoming, replaces, randomName },
    commitEvery: isInBucket(at) ? BUCKET_STEP : DISK_STEP,
  }
  if (format === 'ndjson') {
    return folderDestination({ ...common, base: textBase, check: incoming.check })
  }
  const { check } = formatOfShape<A>(shape)({ format })
  const columns = [...columnsOf(shape), ...(replaces ? [] : [GONE_COLUMN])]
  return folderDestination({ ...common, base: parquetBase(columns), check })
}
