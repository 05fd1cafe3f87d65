/**
 * ```ts
 * interface Auth
 * ```
 *
 * Who asks. `bearer` logs in once for all who wait and renews in time; `basic` is always the same.
 */
import {
  BehaviorSubject,
  concatMap,
  defer,
  first,
  map,
  of,
  type SchedulerLike,
  Subscription,
  share,
  take,
  tap,
  timer as wait,
} from 'rxjs'
import { E, type IO } from '../../fp.js'
import { left, type Millis, mapRight, type ObservableEither, right } from '../../stream/index.js'
import { toAll } from '../../stream/toAll.js'
import type { Failure } from '../Failure.js'
import { invalidField } from '../request/invalidRequest.js'
import { basicHeader } from './basicHeader.js'

// model

export interface Auth {
  /** What goes into `Authorization`. Logs in first, if it has to. */
  readonly header: ObservableEither<Failure, string>
  /** The newest there is, for a request that waited since it took `header`. */
  readonly newest: (header: string) => string
  /** To be called when a request leaves: it may be time to renew, and those still in the queue ask for no `header`. */
  readonly renew: IO<void>
  /** Calls `leave` when the token of who waits was refused: better to wait for `header` again. Returns its undoing. */
  readonly onDropped: (leave: () => void) => () => void
  /** Which one that is: so many logins there were. Another one may come out the same. */
  readonly generation: IO<number>
  /** The service refused the one of this generation. Answers whether another one may be tried. */
  readonly refuse: (generation: number) => boolean
}

export interface Token {
  readonly token: string
  readonly validFor: Millis
}

export interface BearerOptions {
  readonly login: ObservableEither<Failure, Token>
  /** How long before its end a token is replaced; never more than half its life. */
  readonly early: Millis
  readonly timer: SchedulerLike
  readonly onRenewed: (token: Token) => void
}

/** The code of a failure that a source of tokens is to blame for, and not the keys. */
export const SOURCE_FAILED = 'token_source_failed'

// constructors

/** How long before its end a token is replaced, in ms (default, not specified by the interface document). */
export const RENEW_EARLY: Millis = 60_000

/** A login goes on so long when nobody waits: `switchMap` leaves one call before it begins the next. */
const GRACE: Millis = 1_000

export const bearer = ({ login, early, timer, onRenewed }: BearerOptions): Auth => {
  const now = () => timer.now()
  let held: { readonly header: string; readonly renew: Millis; readonly end: Millis } | undefined
  let generation = 0 // of `held`, or of the last one
  let inVain = 0 // for this generation no newer one was to be had
  let dropped = 0 // those who waited were told that this one was refused
  const waiting = new Set<() => void>() // in the order in which they came
  const told = new BehaviorSubject(true) // whether all of them were, of a token that was refused
  let renewal = Subscription.EMPTY // begun for those

  const keep = (token: Token): string => {
    const { validFor } = token
    onRenewed(token)
    const header = `Bearer ${token.token}`
    const renew = now() + validFor - Math.min(early, validFor / 2)
    held = { header, renew, end: now() + validFor }
    generation++
    return header
  }

  let ended = false
  const end = () => {
    ended = true
  }
  const fail = () => {
    inVain = generation
  }

  /**
   * One login in flight, whoever waits; given up when nobody has waited for a while. It is over before any of them is
   * told: one that asks again at once, after a failure, begins the next. It begins when all have left the queue.
   */
  const fresh: ObservableEither<Failure, string> = told.pipe(
    first(Boolean),
    concatMap(() => login),
    take(1),
    tap({
      subscribe: () => {
        ended = false
      },
      next: (ea) => {
        if (E.isLeft(ea)) fail()
      },
      complete: end,
      error: () => {
        fail()
        end()
      },
    }),
    mapRight(keep),
    share({
      connector: () => toAll(),
      resetOnRefCountZero: () => (ended ? of(0) : wait(GRACE, timer)),
    }),
  )

  const header = defer(() => {
    const before = held
    if (before === undefined) return fresh
    return now() < before.renew
      ? right(before.header)
      : fresh.pipe(map((ea) => (E.isLeft(ea) && now() < before.end ? E.right(before.header) : ea)))
  })

  /** None that waits is to be sent with a token that was refused. Told once: those who are back had no other. */
  const drop = (): void => {
    held = undefined
    if (dropped === generation) return
    dropped = generation
    told.next(false)
    try {
      for (const leave of [...waiting]) if (waiting.delete(leave)) leave()
    } finally {
      told.next(true)
    }
  }

  return {
    header,
    newest: (taken) => held?.header ?? taken,
    renew: () => {
      if (held === undefined || now() < held.renew || inVain === generation) return
      if (waiting.size === 0 || !renewal.closed) return
      renewal = fresh.subscribe({ error: () => {} }) // who asks for `header` is told
    },
    onDropped: (leave) => {
      waiting.add(leave)
      return () => {
        waiting.delete(leave)
        if (waiting.size === 0) renewal.unsubscribe()
      }
    },
    generation: () => generation,
    refuse: (refused) => {
      if (refused === generation) drop() // not a newer one, if this refusal comes late
      return true
    },
  }
}

/** For calls that need no one: the login itself. */
export const noAuth: Auth = {
  header: right(''),
  newest: () => '',
  renew: () => {},
  onDropped: () => () => {},
  generation: () => 0,
  refuse: () => false,
}

/** For the partner calls. */
export const basic = (clientId: string, clientSecret: string): Auth => {
  const header = basicHeader(clientId, clientSecret)
  return { ...noAuth, header: right(header), newest: () => header }
}

/** For calls whose option is missing: they are not sent. */
export const missingAuth = (endpoint: string, option: 'credentials' | 'partner'): Auth => {
  const expected = 'an option of createClient'
  const failure = invalidField(endpoint, { field: option, expected, actual: 'missing' })
  return { ...noAuth, header: left(failure) }
}
