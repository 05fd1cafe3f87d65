import type { FetchResponse } from './Fetch.js'

/** A body, part by part. */
export interface BodyParts {
  /** The next one; undefined at the end. Rejects when the body breaks, and once it is given up. */
  readonly next: () => Promise<Uint8Array | undefined>
  /**
   * Gives up what has not come, and with it the connection. What aborts the request may not: a `Request` knows
   * its signal only until it is collected as garbage.
   */
  readonly close: () => void
}

/** What comes in parts, as web streams and iterators have it. */
interface Source {
  readonly read: () => PromiseLike<{
    readonly done?: boolean | undefined
    readonly value?: Uint8Array | undefined
  }>
  readonly cancel: () => unknown
}

/** The parts of the body of an answer. */
export const bodyParts = (body: FetchResponse['body']): BodyParts => {
  const source = sourceOf(body)
  let isOver = false
  return {
    next: async () => {
      for (;;) {
        const { done, value } = await source.read()
        if (isOver) throw new Error('the body was given up')
        if (done === true) isOver = true
        if (isOver || value !== undefined) return value
      }
    },
    close: () => {
      if (isOver) return
      isOver = true
      // at once, before the signal aborts; nobody is left to be told that it was broken already
      new Promise((resolve) => resolve(source.cancel())).catch(() => {})
    },
  }
}

/** A stream also lets go of the part that is waited for; an iterator, once it has come. */
const sourceOf = (body: FetchResponse['body']): Source => {
  if (!body) return { read: async () => ({ done: true }), cancel: () => {} }
  if (typeof body === 'object') {
    if ('getReader' in body) return body.getReader()
    if (Symbol.asyncIterator in body) {
      const parts = body[Symbol.asyncIterator]()
      return { read: async () => parts.next(), cancel: () => parts.return?.() }
    }
  }
  throw new TypeError('the body of the answer is no stream') // in words that repeat nothing of it
}
