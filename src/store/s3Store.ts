/** The state of an export as objects of a bucket. */

import type { SchedulerLike } from 'rxjs'
import { defined } from '../fp.js'
import { type ObjectStorage, objectStorage } from './ObjectStorage.js'
import { processEnvironment, s3Location } from './S3Location.js'
import type { Store } from './Store.js'
import { storeError } from './StoreError.js'

/**
 * A `Store` on conditional writes (`If-Match`, `If-None-Match`); the version of a text is its ETag. An empty object
 * stands for a text that was removed: not every service deletes conditionally. Empty texts cannot be kept.
 *
 * `prefix`: the folder in which the names are.
 *
 * A write whose answer was lost is tried again, and then refused by its own effect: the text that is there tells.
 *
 * A service that ignores the conditions would let two runs write at once: the first text of a name is written twice, and
 * the second time has to be refused.
 */
export const s3Store = (storage: ObjectStorage, prefix = ''): Store => {
  const unusable = (name: string, why: string) => {
    const path = storage.nameOf(prefix + name)
    const advice = 'two runs at once could not be told apart there: use a service that supports it'
    return storeError('UnusableDestination', `${path}: the service ${why}, and ${advice}`, {
      destination: path,
    })
  }
  /** Returns an ETag that was sent. */
  const told = (name: string, etag: string): string => {
    if (etag !== '') return etag
    throw unusable(name, 'sends no ETag')
  }
  const put = async (
    name: string,
    text: string,
    etag: string | undefined,
  ): Promise<string | undefined> => {
    const bytes = new TextEncoder().encode(text)
    const written = await storage.put(
      prefix + name,
      bytes,
      etag === undefined ? 'absent' : { etag },
    )
    if (written !== undefined) return told(name, written)
    const found = await storage.get(prefix + name)
    return found !== undefined &&
      new TextDecoder().decode(found.bytes) === text &&
      found.etag !== etag
      ? found.etag
      : undefined
  }
  return {
    read: async (name) => {
      const found = await storage.get(prefix + name)
      return found === undefined || found.bytes.length === 0
        ? undefined
        : { text: new TextDecoder().decode(found.bytes), version: told(name, found.etag) }
    },
    replace: async (name, text, version) => {
      if (version !== undefined) return put(name, text, version)
      const written = await put(name, text, undefined)
      if (written !== undefined) {
        const bytes = new TextEncoder().encode(text)
        if ((await storage.put(prefix + name, bytes, 'absent')) === undefined) return written
        throw unusable(name, 'ignores If-None-Match')
      }
      const found = await storage.get(prefix + name)
      return found?.bytes.length === 0 ? put(name, text, found.etag) : undefined
    },
    remove: async (name, version) => (await put(name, '', version)) !== undefined,
  }
}

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
