import { defer, EMPTY, ReplaySubject, Subscription } from 'rxjs'
import type { Pull } from './Pull.js'

/**
 * Asks for up to `count` values before they are wanted: while one is worked on, the next are on their
 * way, one at a time. Values asked for less values taken never exceed `count + 1`.
 */
export const ahead =
  (count: number) =>
  <P>(source: Pull<P>): Pull<P> => {
    const waiting: Array<ReplaySubject<P>> = [] // asked for, and not taken yet
    let inFlight = Subscription.EMPTY
    let asking = false
    let ended = false

    const ask = (): void => {
      const slot = new ReplaySubject<P>(1)
      let got = false
      waiting.push(slot)
      asking = true
      const flight = new Subscription()
      inFlight = flight // before subscribing: a value that comes at once asks for the next from within
      const asked = source.next.subscribe({
        next: (p) => {
          got = true
          slot.next(p)
        },
        error: (error: unknown) => {
          asking = false
          ended = true
          slot.error(error)
        },
        complete: () => {
          asking = false
          ended ||= !got
          slot.complete()
          fill()
        },
      })
      flight.add(asked)
    }

    const fill = (): void => {
      while (!ended && !asking && waiting.length < count) ask()
    }

    return {
      next: defer(() => {
        if (waiting.length === 0 && !ended) ask()
        const slot = waiting.shift() ?? EMPTY
        fill()
        return slot
      }),
      close: () => {
        ended = true
        inFlight.unsubscribe()
        source.close()
      },
    }
  }
