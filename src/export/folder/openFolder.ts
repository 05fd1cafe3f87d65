/** Folders and buckets as destinations of a sync. */
import type { SchedulerLike } from 'rxjs'
import { randomName } from '../../store/FileSystem.js'
import { isS3 } from '../../store/S3Location.js'
import { renamed } from '../../store/Store.js'
import type { Waits } from '../../store/Waits.js'
import type { Millis } from '../../stream/index.js'
import { type Column, columnsOf } from '../column/Column.js'
import type { Numbers } from '../column/decimal.js'
import type { Shape } from '../column/Shape.js'
import { formatOfShape } from '../format/formatOf.js'
import { openFiles } from '../storage/openFiles.js'
import { type Destination, GONE } from '../transfer/Destination.js'
import { textBase } from './BaseFormat.js'
import { folderDestination } from './mergedFolder.js'
import { parquetBase } from './parquetBase.js'

/** Which folder, and what is written there. */
export interface OpenFolderOptions {
  /** A folder, or a prefix of a bucket; its name ends with a slash. */
  readonly to: string
  /** Name of the list, such as `charges`. */
  readonly list: string
  readonly shape: Shape
  readonly numbers: Numbers
  readonly replaces: boolean
  readonly format: 'ndjson' | 'parquet'
  readonly env: Readonly<Record<string, string | undefined>> | undefined
  readonly timer: SchedulerLike
  readonly waits: Waits
  /** An `updated_at` after it is of a wrong clock, in ms since 1970. */
  readonly doubtful: Millis
}

/** Time between steps, in ms. At 40,000 rows a second, the most of the platform, 8,000 rows wait for one. */
const DISK_STEP = 200
/** Time between steps of a bucket, in ms: each is two requests, of some 50 ms. */
const BUCKET_STEP = 500

/** Files by time or by parent have a column for the time when a row was found to be gone. */
const GONE_COLUMN: Column = { name: GONE, path: [GONE], type: 'time', isDescribed: true }

/** Opens a folder, which is made if it is not there. Rejects with an `UnusablePath` where it cannot be used. */
export const openFolder = async <A>(options: OpenFolderOptions): Promise<Destination<A>> => {
  const { to, list, shape, numbers, replaces, format, doubtful: ms } = options
  const files = await openFiles(to, options)
  await files.prepare()
  const store = renamed(files.store(), (name) => `_${name}.json`)
  const incoming = formatOfShape<A>(shape)({ numbers, format: 'ndjson', compress: 'zstd' })
  const common = {
    ...{ files, store, list, incoming, replaces, randomName },
    doubtful: ms * 1_000,
    commitEvery: isS3(to) ? BUCKET_STEP : DISK_STEP,
  }
  if (format === 'ndjson') {
    return folderDestination({ ...common, base: textBase, check: incoming.check })
  }
  const { check } = formatOfShape<A>(shape)({ numbers, format })
  const columns = [...columnsOf(shape), ...(replaces ? [] : [GONE_COLUMN])]
  return folderDestination({ ...common, base: parquetBase(columns, numbers), check })
}
