import type { Subscription } from 'rxjs'
import { inTurn } from './inTurn.js'
import type { Pull } from './Pull.js'

/** For `for await`: leaving the loop aborts what is on its way. */
export const iterate = <P>(open: () => Pull<P>): AsyncIterableIterator<P> => {
  let pull: Pull<P> | undefined
  let inner: Subscription | undefined
  let finish: (() => void) | undefined
  let closed = false

  const close = (): void => {
    if (closed) return
    closed = true
    inner?.unsubscribe()
    pull?.close()
    finish?.()
  }

  const next = (): Promise<IteratorResult<P>> =>
    new Promise((resolve, reject) => {
      if (closed) return resolve({ done: true, value: undefined })
      pull ??= open()
      let result: IteratorResult<P> = { done: true, value: undefined }
      finish = () => resolve({ done: true, value: undefined })
      inner = pull.next.subscribe({
        next: (value) => {
          result = { done: false, value }
        },
        error: (error: unknown) => {
          reject(error) // first: closing ends what is pending
          close()
        },
        complete: () => {
          if (result.done === true) close()
          resolve(result)
        },
      })
    })

  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next: inTurn(next),
    return: () => {
      close()
      return Promise.resolve({ done: true, value: undefined })
    },
  }
}
