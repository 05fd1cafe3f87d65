/** Authorization of requests: a bearer token that is refreshed before it expires, or HTTP Basic. */
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
import {
  left,
  mapRight,
  type ObservableEither,
  right,
} from '../../stream/either/ObservableEither.js'
import type { Millis } from '../../stream/index.js'
import { toAll } from '../../stream/toAll.js'
import type { Failure } from '../Failure.js'
import { invalidField } from '../request/invalidParams.js'

export interface Auth {
  /** Emits the value of the `Authorization` header. Logs in first, if necessary. */
  readonly header: ObservableEither<Failure, string>
  /** Returns the latest value, for a request that has been queued since it got its `header`. */
  readonly latest: (header: string) => string
  /** Refreshes a token that is due. Called when a request is sent, because queued requests do not subscribe to `header`. */
  readonly renewIfDue: IO<void>
  /** Returns the current value; `undefined` if a login is necessary. */
  readonly ready: IO<string | undefined>
  /** Notifies a queued request when its token is refused, so that it waits for a new `header`; ends with `unwatch`. */
  readonly watch: (queued: TokenHolder) => void
  readonly unwatch: (queued: TokenHolder) => void
  /** Returns the number of logins so far. It serves to identify a token, because two logins may return equal tokens. */
  readonly generation: IO<number>
  /** Records that the service refused the token of a generation. Returns true if another token may be tried. */
  readonly reject: (generation: number) => boolean
}

/** A queued request that has a token. */
export interface TokenHolder {
  revoked(): void
}

export interface Token {
  readonly token: string
  readonly validFor: Millis
}

export interface BearerOptions {
  readonly login: ObservableEither<Failure, Token>
  /** Time before expiry at which a token is refreshed; at most half its lifetime. */
  readonly renewEarly: Millis
  readonly timer: SchedulerLike
  readonly onRenewed: (token: Token) => void
}

/** Code for a failure of a token source, as opposed to invalid credentials. */
export const SOURCE_FAILED = 'token_source_failed'

/** Default of `renewEarly`, in ms (our assumption: not in the API description). */
export const RENEW_EARLY: Millis = 60_000

/** Time that a login continues without subscribers, because `switchMap` leaves one call before it subscribes to the next. */
const LOGIN_GRACE: Millis = 1_000

/** Shares one login among all requests that need it, and refreshes the token before it expires. */
export class BearerAuth implements Auth {
  readonly header: ObservableEither<Failure, string>
  readonly #options: BearerOptions
  /** Logs in once for all subscribers. They are notified after the login has ended, so they can start the next one. */
  readonly #login: ObservableEither<Failure, string>
  #current:
    | { readonly header: string; readonly renewAt: Millis; readonly expiresAt: Millis }
    | undefined
  #generation = 0
  /** The generation of the token that could not be refreshed. */
  #unrenewable = 0
  /** The generation of the token whose requests have left the queue. */
  #revoked = 0
  readonly #queued = new Set<TokenHolder>() // in order of arrival
  /** `false` while requests leave the queue. A new login starts once all of them have left. */
  readonly #isRevocationDone = new BehaviorSubject(true)
  /** A refresh that `renewIfDue` started. */
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
    if (this.#queued.size === 0 || !this.#renewal.closed) return
    this.#renewal = this.#login.subscribe({ error: () => {} }) // subscribers of `header` get the error
  }

  ready(): string | undefined {
    const current = this.#current
    const isValid = current !== undefined && this.#options.timer.now() < current.renewAt
    return isValid ? current.header : undefined
  }

  watch(queued: TokenHolder): void {
    this.#queued.add(queued)
  }

  unwatch(queued: TokenHolder): void {
    this.#queued.delete(queued)
    if (this.#queued.size === 0) this.#renewal.unsubscribe()
  }

  generation(): number {
    return this.#generation
  }

  reject(generation: number): boolean {
    if (generation === this.#generation) this.#revoke() // a late refusal does not affect a newer token
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

  /** Makes requests leave the queue, once per generation. Requests that were queued since then had no other token. */
  #revoke(): void {
    this.#current = undefined
    if (this.#revoked === this.#generation) return
    this.#revoked = this.#generation
    this.#isRevocationDone.next(false)
    try {
      for (const queued of [...this.#queued]) {
        if (this.#queued.delete(queued)) queued.revoked()
      }
    } finally {
      this.#isRevocationDone.next(true)
    }
  }
}

/** The authorization of calls that need none, such as the login itself. */
export const noAuth: Auth = {
  header: right(''),
  latest: () => '',
  renewIfDue: () => {},
  ready: () => '',
  watch: () => {},
  unwatch: () => {},
  generation: () => 0,
  reject: () => false,
}

/** Authorizes partner calls with HTTP Basic authentication. */
export const basicAuth = (clientId: string, clientSecret: string): Auth => {
  const header = basicHeader(clientId, clientSecret)
  return { ...noAuth, header: right(header), ready: () => header, latest: () => header }
}

/** Fails calls whose credentials are missing, without sending a request. */
export const missingAuth = (endpoint: string, option: 'credentials' | 'partner'): Auth => {
  const expected = 'given to createClient'
  const failure = invalidField(endpoint, { field: option, expected, actual: 'missing' })
  return { ...noAuth, header: left(failure), ready: () => undefined }
}

/** Encodes user name and password as UTF-8. */
export const basicHeader = (clientId: string, clientSecret: string): string => {
  const bytes = new TextEncoder().encode(`${clientId}:${clientSecret}`)
  return `Basic ${btoa(String.fromCharCode(...bytes))}`
}
