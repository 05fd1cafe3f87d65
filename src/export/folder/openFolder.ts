/** Folders and buckets as destinations of a sync. */
import type { SchedulerLike } from 'rxjs'
import { diskStore } from '../../store/diskStore.js'
import { randomName } from '../../store/FileSystem.js'
import { objectStorage } from '../../store/ObjectStorage.js'
import { processEnvironment, type S3Environment, s3Location } from '../../store/S3Location.js'
import { renamed, type Store } from '../../store/Store.js'
import { s3Store } from '../../store/s3Store.js'
import type { Millis } from '../../stream/index.js'
import { type Column, columnsOf } from '../column/Column.js'
import type { Numbers } from '../column/decimal.js'
import type { Shape } from '../column/Shape.js'
import { formatOfShape } from '../format/formatOf.js'
import { type Destination, GONE } from '../transfer/Destination.js'
import { textBase } from './BaseFormat.js'
import { folderDestination } from './mergedFolder.js'
import { diskObjects, type Objects } from './Objects.js'
import { parquetBase } from './parquetBase.js'

// model

/** Which folder, and what is written there. */
export interface OpenFolderOptions {
  readonly to: string
  /** Name of the list, such as `charges`. */
  readonly list: string
  readonly shape: Shape
  readonly numbers: Numbers
  readonly replaces: boolean
  /** True for rows of many parents: see `ChildRows`. */
  readonly ofParents: boolean
  readonly format: 'ndjson' | 'parquet'
  readonly timer: SchedulerLike
  /** An `updated_at` after it is of a wrong clock, in ms since 1970. */
  readonly doubtful: Millis
}

/** Time between steps, in ms. At 40,000 rows a second, the most of the platform, 8,000 rows wait for one. */
const DISK_STEP = 200
/** Time between steps of a bucket, in ms: each is two requests, of some 50 ms. */
const BUCKET_STEP = 500

// constructors

/** A store whose names are those of an export's own files: `_checkpoint.json`. */
const ownNames = (store: Store): Store => renamed(store, (name) => `_${name}.json`)

/** Opens a folder, which is made if it is not there. */
export const openFolder = async <A>(options: OpenFolderOptions): Promise<Destination<A>> => {
  const objects = diskObjects(options.to)
  await objects.prepare()
  return destinationOf(options, objects, ownNames(diskStore({ folder: options.to })), DISK_STEP)
}

/** Opens a prefix of a bucket. Rejects with an `UnusablePath` where region or credentials are missing. */
export const openBucket = async <A>(
  options: OpenFolderOptions,
  env: S3Environment['env'] | undefined,
): Promise<Destination<A>> => {
  const { timer } = options
  const storage = objectStorage(await s3Location(options.to, processEnvironment(env)), { timer })
  const objects: Objects = { ...storage, put: (key, bytes) => storage.put(key, bytes) }
  return destinationOf(options, objects, ownNames(s3Store(storage)), BUCKET_STEP)
}

/** Files by time or by parent have a column for the time when a row was found to be gone. */
const GONE_COLUMN: Column = { name: GONE, path: [GONE], type: 'time', isDescribed: true }

const destinationOf = <A>(
  { list, shape, numbers, replaces, ofParents, format, doubtful: ms }: OpenFolderOptions,
  objects: Objects,
  store: Store,
  commitEvery: Millis,
): Destination<A> => {
  const text = { numbers, format: 'ndjson', compress: 'zstd' } as const
  const incoming = formatOfShape<A>(shape)(text)
  const doubtful = ms * 1_000
  const common = {
    ...{ doubtful, objects, store, list, incoming, replaces, ofParents, commitEvery, randomName },
  }
  if (format === 'ndjson') {
    return folderDestination({ ...common, base: textBase, check: incoming.check })
  }
  const { check } = formatOfShape<A>(shape)({ numbers, format })
  const columns = [...columnsOf(shape), ...(replaces ? [] : [GONE_COLUMN])]
  return folderDestination({ ...common, base: parquetBase(columns, numbers), check })
}
