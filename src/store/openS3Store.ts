import type { SchedulerLike } from 'rxjs'
import { defined } from '../fp.js'
import { objectStorage } from './ObjectStorage.js'
import { processEnvironment, s3Location } from './S3Location.js'
import type { Store } from './Store.js'
import { s3Store } from './s3Store.js'

/** How a bucket is reached. */
export interface S3StoreOptions {
  /** Variables such as `AWS_REGION`. Default: those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Waits between attempts. Default `asyncScheduler`. */
  readonly timer?: SchedulerLike | undefined
}

/** Opens a store of texts below a prefix of a bucket: `s3://BUCKET/PREFIX/`. Rejects with an `UnusablePath` that says what is missing. */
export const openS3Store = async (
  url: string,
  { env, timer }: S3StoreOptions = {},
): Promise<Store> =>
  s3Store(objectStorage(await s3Location(url, processEnvironment(env)), defined({ timer })))
