import type { FetchResponse } from './Fetch.js'

/** A body, part by part. */
export interface BodyParts {
  readonly next: () => Promise<{
    readonly done?: boolean | undefined
    readonly value?: Uint8Array | undefined
  }>
  /**
   * Gives up what has not come, and with it the connection, also while a part is waited for. What aborts the
   * request may not: a `Request` knows its signal only until it is collected as garbage.
   */
  readonly close: () => void
}

const NOTHING: BodyParts = { next: async () => ({ done: true }), close: () => {} }

/** The parts of the body of an answer. */
export const bodyParts = (body: FetchResponse['body']): BodyParts => {
  if (!body) return NOTHING
  if ('getReader' in body) {
    const reader = body.getReader()
    return { next: () => reader.read(), close: () => ignored(reader.cancel()) }
  }
  const parts = body[Symbol.asyncIterator]()
  return { next: () => parts.next(), close: () => ignored(parts.return?.()) }
}

/** Nobody is left to be told that it was broken already. */
const ignored = (closing: Promise<unknown> | undefined): void => {
  closing?.catch(() => {})
}
