/** Authorization of requests: a bearer token that is renewed in time, or HTTP Basic. */
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
import { invalidField } from '../request/invalidParams.js'

// model

export interface Auth {
  /** Value of the `Authorization` header. Logs in first, if necessary. */
  readonly header: ObservableEither<Failure, string>
  /** Returns the latest value, for a request that was queued since it took `header`. */
  readonly latest: (header: string) => string
  /** Renews a token that is due. To be called when a request is sent: those still queued do not ask for `header`. */
  readonly renewIfDue: IO<void>
  /**
   * Calls `listener` when the token of a queued request is refused: it had better wait for a new `header`. Returns a
   * function that stops listening.
   */
  readonly onRevoked: (listener: () => void) => () => void
  /** Number of logins so far, which identifies a token: two logins may return the same text. */
  readonly generation: IO<number>
  /** Records that the service refused the token of a generation. Returns whether another may be tried. */
  readonly reject: (generation: number) => boolean
}

export interface Token {
  readonly token: string
  readonly validFor: Millis
}

export interface BearerOptions {
  readonly login: ObservableEither<Failure, Token>
  /** Time before its end at which a token is renewed; at most half its life is used. */
  readonly renewEarly: Millis
  readonly timer: SchedulerLike
  readonly onRenewed: (token: Token) => void
}

/** Code of a failure caused by a source of tokens, not by credentials. */
export const SOURCE_FAILED = 'token_source_failed'

/** In ms (default, not specified by the interface document). */
export const RENEW_EARLY: Millis = 60_000

/** Time that a login goes on without subscribers: `switchMap` leaves one call before it begins the next. */
const LOGIN_GRACE: Millis = 1_000

// constructors

/** Shares one login between all requests that need it, and renews the token before it ends. */
export class BearerAuth implements Auth {
  readonly header: ObservableEither<Failure, string>
  readonly #options: BearerOptions
  /** One login at a time for all subscribers. It has ended before they hear of it, so that they may begin the next. */
  readonly #login: ObservableEither<Failure, string>
  #current:
    | { readonly header: string; readonly renewAt: Millis; readonly expiresAt: Millis }
    | undefined
  #generation = 0
  /** The generation that could not be renewed. */
  #unrenewable = 0
  /** The generation whose listeners have been called. */
  #revoked = 0
  readonly #listeners = new Set<() => void>() // in order of arrival
  /** `false` while listeners are called: a new login begins once all requests have left the queue. */
  readonly #isRevocationDone = new BehaviorSubject(true)
  /** A renewal begun by `renewIfDue`. */
  #renewal = Subscription.EMPTY

  constructor(options: BearerOptions) {
    const { login, timer } = options
    this.#options = options
    let isOver = false
    const over = (): void => {
      isOver = true
    }
    const failed = (): void => {
      this.#unrenewable = this.#generation
    }
    this.#login = this.#isRevocationDone.pipe(
      first(Boolean),
      concatMap(() => login),
      take(1),
      tap({
        subscribe: () => {
          isOver = false
        },
        next: (ea) => {
          if (E.isLeft(ea)) failed()
        },
        complete: over,
        error: () => {
          failed()
          over()
        },
      }),
      mapRight((token) => this.#keep(token)),
      share({
        connector: () => toAll(),
        resetOnRefCountZero: () => (isOver ? of(0) : wait(LOGIN_GRACE, timer)),
      }),
    )
    this.header = defer(() => {
      const current = this.#current
      if (current === undefined) return this.#login
      return timer.now() < current.renewAt
        ? right(current.header)
        : this.#login.pipe(
            map((ea) =>
              E.isLeft(ea) && timer.now() < current.expiresAt ? E.right(current.header) : ea,
            ),
          )
    })
  }

  latest(header: string): string {
    return this.#current?.header ?? header
  }

  renewIfDue(): void {
    const current = this.#current
    if (current === undefined || this.#options.timer.now() < current.renewAt) return
    if (this.#unrenewable === this.#generation) return
    if (this.#listeners.size === 0 || !this.#renewal.closed) return
    this.#renewal = this.#login.subscribe({ error: () => {} }) // subscribers of `header` get the error
  }

  onRevoked(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#renewal.unsubscribe()
    }
  }

  generation(): number {
    return this.#generation
  }

  reject(generation: number): boolean {
    if (generation === this.#generation) this.#revoke() // a late refusal does not concern a newer token
    return true
  }

  #keep(token: Token): string {
    const { onRenewed, renewEarly, timer } = this.#options
    const { validFor } = token
    onRenewed(token)
    const header = `Bearer ${token.token}`
    const now = timer.now()
    const renewAt = now + validFor - Math.min(renewEarly, validFor / 2)
    this.#current = { header, renewAt, expiresAt: now + validFor }
    this.#generation++
    return header
  }

  /** Calls the listeners once a generation: requests queued since had no other token. */
  #revoke(): void {
    this.#current = undefined
    if (this.#revoked === this.#generation) return
    this.#revoked = this.#generation
    this.#isRevocationDone.next(false)
    try {
      for (const listener of [...this.#listeners]) {
        if (this.#listeners.delete(listener)) listener()
      }
    } finally {
      this.#isRevocationDone.next(true)
    }
  }
}

/** For calls without authorization: the login itself. */
export const noAuth: Auth = {
  header: right(''),
  latest: () => '',
  renewIfDue: () => {},
  onRevoked: () => () => {},
  generation: () => 0,
  reject: () => false,
}

/** Authorizes partner calls by HTTP Basic. */
export const basicAuth = (clientId: string, clientSecret: string): Auth => {
  const header = basicHeader(clientId, clientSecret)
  return { ...noAuth, header: right(header), latest: () => header }
}

/** Fails calls whose option is missing, without a request. */
export const missingAuth = (endpoint: string, option: 'credentials' | 'partner'): Auth => {
  const expected = 'an option of createClient'
  const failure = invalidField(endpoint, { field: option, expected, actual: 'missing' })
  return { ...noAuth, header: left(failure) }
}

/** Encodes user name and password as UTF-8 (interface, Authentication). */
export const basicHeader = (clientId: string, clientSecret: string): string => {
  const bytes = new TextEncoder().encode(`${clientId}:${clientSecret}`)
  return `Basic ${btoa(String.fromCharCode(...bytes))}`
}
