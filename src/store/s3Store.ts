/** Stores the state of an export as objects in a bucket. */

import { asyncScheduler, type SchedulerLike } from 'rxjs'
import { type Condition, ObjectStorage, unconditional } from './ObjectStorage.js'
import { processEnvironment, s3Location } from './S3Location.js'
import type { Store } from './Store.js'
import { type OnWait, waitsInWords } from './Waits.js'

/**
 * A `Store` based on conditional writes (`If-Match`, `If-None-Match`); the version of a text is its ETag. An empty object
 * represents a removed text, because not every service supports conditional deletes. Empty texts cannot be stored.
 *
 * `prefix`: the folder of the texts.
 *
 * A write whose response was lost is retried, and then refused because the first attempt took effect. The stored text shows
 * this.
 *
 * If a service ignored the conditions, two runs could write simultaneously. The first text is therefore written again under a
 * condition that does not hold, and the service must refuse this:
 *
 *     If-None-Match
 *     If-Match with the previous version, or one that never existed; its own is accepted
 */
export const s3Store = (
  storage: Pick<ObjectStorage, 'get' | 'put' | 'remove' | 'nameOf'>,
  prefix = '',
): Store => {
  let isProven = false

  /** Returns an ETag that was sent. */
  const sentEtag = (name: string, etag: string): string => {
    if (etag !== '') return etag
    throw unconditional(storage.nameOf(prefix + name), 'sends no ETag')
  }
  const putOnly = (name: string, text: string, condition: Condition) =>
    storage.put(prefix + name, new TextEncoder().encode(text), condition)

  const put = async (
    name: string,
    text: string,
    etag: string | undefined,
  ): Promise<string | undefined> => {
    const written = await putOnly(name, text, etag === undefined ? 'absent' : { etag })
    if (written !== undefined) return prove(name, text, sentEtag(name, written), etag)
    const found = await storage.get(prefix + name)
    return found !== undefined &&
      new TextDecoder().decode(found.bytes) === text &&
      found.etag !== etag
      ? found.etag
      : undefined
  }

  /** Resolves with the version of a text that was just written. Throws if a condition has no effect. */
  const prove = async (
    name: string,
    text: string,
    written: string,
    before: string | undefined,
  ): Promise<string> => {
    if (isProven || written === before) return written
    const refusal = async (why: string): Promise<Error> => {
      if (before === undefined) await storage.remove(prefix + name) // the text did not exist
      return unconditional(storage.nameOf(prefix + name), why)
    }
    const isLet = async (condition: Condition): Promise<boolean> =>
      (await putOnly(name, text, condition)) !== undefined
    if (await isLet('absent')) throw await refusal('ignores If-None-Match')
    const last = before === undefined ? await putOnly(name, text, { etag: written }) : written
    if (last === undefined) throw await refusal('refuses If-Match with the existing text')
    if (await isLet({ etag: before ?? NO_VERSION })) throw await refusal('ignores If-Match')
    isProven = true
    return sentEtag(name, last)
  }

  return {
    read: async (name) => {
      const found = await storage.get(prefix + name)
      return found === undefined || found.bytes.length === 0
        ? undefined
        : { text: new TextDecoder().decode(found.bytes), version: sentEtag(name, found.etag) }
    },
    replace: async (name, text, version) => {
      const written = await put(name, text, version)
      if (written !== undefined || version !== undefined) return written
      const found = await storage.get(prefix + name)
      return found?.bytes.length === 0 ? put(name, text, found.etag) : undefined
    },
    remove: async (name, version) => (await put(name, '', version)) !== undefined,
  }
}

/** An ETag that no text has. */
const NO_VERSION = `"${'0'.repeat(32)}"`

/** Options of `s3Store`. */
export interface S3StoreOptions {
  /** Variables such as `AWS_REGION`. Default: those of the process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Timer for the pauses between attempts. Default `asyncScheduler`. */
  readonly timer?: SchedulerLike | undefined
  /** Called with a message for each long wait, as in `verify`. Default: `console.warn`. */
  readonly onWait?: OnWait | undefined
}

/** Opens a store of texts below `s3://BUCKET/PREFIX/`. Rejects with an `UnusablePath` that names what is missing. */
export const openS3Store = async (
  url: string,
  { env, timer = asyncScheduler, onWait }: S3StoreOptions = {},
): Promise<Store> =>
  s3Store(
    new ObjectStorage(await s3Location(url, processEnvironment(env)), {
      timer,
      waits: waitsInWords(url, timer, onWait),
    }),
  )
