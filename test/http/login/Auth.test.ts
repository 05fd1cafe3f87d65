import {
  asyncScheduler,
  concat,
  concatMap,
  defer,
  map,
  mergeMap,
  NEVER,
  type Observable,
  of,
  range,
  switchMap,
  take,
  toArray,
} from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E } from '../../../src/fp.js'
import { BearerAuth, basicAuth, RENEW_EARLY, type Token } from '../../../src/http/login/Auth.js'
import type { Failure } from '../../../src/index.js'
import type { ObservableEither } from '../../../src/stream/index.js'
import { marbles } from '../../support/marbles.js'

type Login = E.Either<Failure, Token>

const L: Login = E.left({
  _tag: 'Unauthorized',
  endpoint: 'login',
  attempts: 1,
  code: 'credentials_invalid',
  message: 'no',
})

/** Tokens a, b ... that live 100 ms; `s` lives 10; L is a login that failed. */
const values: Readonly<Record<string, Login>> = {
  a: E.right({ token: 'a', validFor: 100 }),
  b: E.right({ token: 'b', validFor: 100 }),
  s: E.right({ token: 's', validFor: 10 }),
  L,
}

/** Values as one character each: the token, or L. */
const short = map((ea: E.Either<Failure, string>) =>
  E.isLeft(ea) ? 'L' : ea.right.slice('Bearer '.length),
)

/** One login after the other, a subscription each. */
const inTurn = (logins: ReadonlyArray<Observable<Login>>): Observable<Login> => {
  const rest = [...logins]
  return defer(() => rest.shift() ?? NEVER)
}

const auth = (login: ObservableEither<Failure, Token>, early = 30) => {
  const renewed: Array<string> = []
  const made = new BearerAuth({
    login,
    renewEarly: early,
    timer: asyncScheduler,
    onRenewed: ({ token }) => renewed.push(token),
  })
  return {
    header: made.header.pipe(short),
    renewed,
    latest: (header: string) => made.latest(header),
    renewIfDue: () => made.renewIfDue(),
    onRevoked: (listener: () => void) => made.onRevoked(listener),
    generation: () => made.generation(),
    reject: (generation: number) => made.reject(generation),
  }
}

describe('a bearer token', () => {
  it('is renewed a minute before its end by default', () => {
    expect(RENEW_EARLY).toBe(60_000)
  })

  it(
    'is obtained once for all subscribers, and kept for later ones',
    marbles((m) => {
      const login = m.cold('--a|', values)
      const { header } = auth(login)
      m.expectObservable(header).toBe('                  --(a|)')
      m.expectObservable(header, '-^').toBe('            --(a|)')
      m.expectObservable(header, '-----^').toBe('        -----(a|)')
      const many = range(0, 50).pipe(mergeMap(() => header))
      m.expectObservable(many.pipe(toArray(), map(String))).toBe('--(x|)', {
        x: Array(50).fill('a').join(),
      })
      m.expectSubscriptions(login.subscriptions).toBe('^-!')
    }),
  )

  it(
    'is not asked for before somebody needs it',
    marbles((m) => {
      const login = m.cold('--a|', values)
      auth(login)
      m.expectSubscriptions(login.subscriptions).toBe([])
    }),
  )

  it(
    'is aborted after a second without subscribers, and not before',
    marbles((m) => {
      const login = m.cold('3s a|', values)
      const { header } = auth(login)
      m.expectObservable(header, '^--!')
      m.expectObservable(header, '-^--!')
      m.expectSubscriptions(login.subscriptions).toBe('^--- 1s !')
    }),
  )

  it(
    'is asked for once by calls that each take the place of the one before',
    marbles((m) => {
      const login = m.cold('500ms a|', values)
      const { header } = auth(login)
      const keys = m.cold('a 99ms a 99ms a 99ms a 99ms a 99ms (a|)')
      m.expectObservable(keys.pipe(switchMap(() => header))).toBe('500ms (a|)')
      m.expectSubscriptions(login.subscriptions).toBe('^ 499ms !')
    }),
  )

  it(
    'is renewed once by calls that each take the place of the one before, too',
    marbles((m) => {
      const login = m.cold('50ms a|', values)
      const { header } = auth(login)
      m.expectObservable(header).toBe('50ms (a|)')
      const keys = m.cold('200ms a 19ms a 19ms (a|)')
      m.expectObservable(keys.pipe(switchMap(() => header))).toBe('250ms (a|)')
      m.expectSubscriptions(login.subscriptions).toBe(['^ 49ms !', '200ms ^ 49ms !'])
    }),
  )

  it(
    'leaves no timer behind when it has come',
    marbles((m) => {
      const { header } = auth(m.cold('--a|', values))
      m.expectObservable(header).toBe('--(a|)')
      m.flush()
      expect(asyncScheduler.now()).toBe(2)
    }),
  )

  it(
    'leaves no timer behind when a bug of its source is told',
    marbles((m) => {
      const { header } = auth(m.cold('--#'))
      m.expectObservable(header).toBe('--#')
      m.flush()
      expect(asyncScheduler.now()).toBe(2)
    }),
  )

  it(
    'is replaced as early as it was told, once for all',
    marbles((m) => {
      const login = m.cold('a|', values)
      const { header } = auth(login, 30)
      m.expectObservable(header).toBe('                 (a|)')
      m.expectObservable(header, '69ms ^').toBe('      69ms (a|)')
      m.expectObservable(header, '70ms ^').toBe('      70ms (a|)')
      m.expectObservable(header, '70ms ^').toBe('      70ms (a|)')
      m.expectSubscriptions(login.subscriptions).toBe(['(^!)', '70ms (^!)'])
    }),
  )

  it(
    'is never replaced earlier than at half its life',
    marbles((m) => {
      const login = m.cold('s|', values)
      const { header } = auth(login, 60_000)
      m.expectObservable(header).toBe('       (s|)')
      m.expectObservable(header, '----^').toBe('----(s|)')
      m.expectObservable(header, '-----^').toBe('-----(s|)')
      m.expectSubscriptions(login.subscriptions).toBe(['(^!)', '-----(^!)'])
    }),
  )

  it(
    'is still used, while it is good, when no new one is to be had',
    marbles((m) => {
      const logins = [m.cold('a|', values), m.cold('--L|', values), m.cold('--L|', values)]
      const { header } = auth(inTurn(logins))
      m.expectObservable(header).toBe('           (a|)')
      m.expectObservable(header, '80ms ^').toBe('80ms --(a|)')
      m.expectObservable(header, '97ms ^').toBe('97ms --(a|)')
    }),
  )

  it(
    'is not used past its end: then the login’s failure comes out',
    marbles((m) => {
      const { header } = auth(inTurn([m.cold('a|', values), m.cold('---L|', values)]))
      m.expectObservable(header).toBe('           (a|)')
      m.expectObservable(header, '98ms ^').toBe('98ms ---(L|)')
    }),
  )

  it(
    'is requested again by subscribers that come when a login has failed, once for all of them',
    marbles((m) => {
      const second = m.cold('--a|', values)
      const { header } = auth(inTurn([m.cold('--L|', values), second]))
      const again = header.pipe(
        take(1),
        concatMap((first) => concat(of(first), header)),
      )
      m.expectObservable(again).toBe('--L-(a|)')
      m.expectObservable(again).toBe('--L-(a|)')
      m.expectSubscriptions(second.subscriptions).toBe('--^-!')
    }),
  )

  it(
    'that was refused is dropped, but not a newer one when the refusal comes late',
    marbles((m) => {
      const made = auth(inTurn([m.cold('a|', values), m.cold('b|', values)]))
      m.expectObservable(made.header).toBe('            (a|)')
      m.cold('-----x').subscribe(() => expect(made.reject(1)).toBe(true))
      m.expectObservable(made.header, '------^').toBe('------(b|)')
      m.cold('----------x').subscribe(() => made.reject(1))
      m.expectObservable(made.header, '------------^').toBe('------------(b|)')
      m.flush()
      expect(made.renewed).toEqual(['a', 'b'])
    }),
  )

  it(
    'that is refused again while its listeners are called calls each of them once',
    marbles((m) => {
      const made = auth(m.cold('a|', values))
      m.expectObservable(made.header).toBe('(a|)')
      m.flush()
      const told: Array<string> = []
      for (const name of ['first', 'second']) {
        made.onRevoked(() => {
          if (told.push(name) < 4) made.reject(1)
        })
      }
      made.reject(1)
      expect(told).toEqual(['first', 'second'])
    }),
  )

  it(
    'that is refused calls no listener again after a login that failed, until there is another token',
    marbles((m) => {
      const logins = [m.cold('a|', values), m.cold('L|', values), m.cold('b|', values)]
      const made = auth(inTurn(logins))
      const told: Array<string> = []
      const refuse = (name: string, generation: number) => () => {
        made.onRevoked(() => told.push(`${name}, of ${made.generation()}`))
        made.reject(generation)
      }
      m.expectObservable(made.header).toBe('                (a|)')
      m.cold('-x').subscribe(refuse('first', 1))
      m.expectObservable(made.header, '--^').toBe('            --(L|)')
      m.cold('--- 5s x').subscribe(refuse('second', 1))
      m.expectObservable(made.header, '---- 5s ^').toBe('    ---- 5s (b|)')
      m.cold('----- 5s x').subscribe(refuse('third', 2))
      m.flush()
      expect(told).toEqual(['first, of 1', 'second, of 2', 'third, of 2'])
    }),
  )

  it(
    'that is refused calls its listeners also after a renewal that failed',
    marbles((m) => {
      const made = auth(inTurn([m.cold('a|', values), m.cold('L|', values), m.cold('b|', values)]))
      const told: Array<string> = []
      m.expectObservable(made.header).toBe('(a|)')
      m.cold('70ms x').subscribe(() => made.onRevoked(() => told.push('told')))
      m.expectObservable(made.header, '90ms ^').toBe('90ms (a|)')
      m.cold('95ms x').subscribe(() => made.reject(1))
      m.flush()
      expect(told).toEqual(['told'])
    }),
  )

  it(
    'that is refused is renewed once all listeners have left the queue: the login may have to wait in it',
    marbles((m) => {
      const told: Array<string> = []
      const inVain = defer(() => {
        told.push('login')
        return of(L)
      })
      const made = auth(inTurn([m.cold('a|', values), inVain, m.cold('b|', values)]))
      m.expectObservable(made.header).toBe('(a|)')
      m.flush()
      for (const name of ['first', 'second']) {
        made.onRevoked(() => {
          told.push(name)
          made.header.subscribe((token) => told.push(`${name}: ${token}`))
        })
      }
      made.reject(1)
      expect(told).toEqual(['first', 'second', 'login', 'first: L', 'second: L'])
    }),
  )

  it(
    'is renewed for queued requests; an error of the login goes to subscribers of the header',
    marbles((m) => {
      const broken = m.cold('--#', values)
      const made = auth(inTurn([m.cold('a|', values), broken, m.cold('b|', values)]))
      m.expectObservable(made.header).toBe('(a|)')
      m.cold('80ms x 9ms x 4ms x').subscribe(() => made.renewIfDue())
      m.cold('85ms x').subscribe(() => made.onRevoked(() => {}))
      m.expectObservable(made.header, '91ms ^').toBe('91ms -#')
      m.expectSubscriptions(broken.subscriptions).toBe('90ms ^-!')
    }),
  )

  it(
    'is replaced by the latest for a queued request',
    marbles((m) => {
      const made = auth(m.cold('a|', values))
      expect(made.latest('Bearer old')).toBe('Bearer old')
      m.expectObservable(made.header).toBe('(a|)')
      m.flush()
      expect(made.latest('Bearer old')).toBe('Bearer a')
    }),
  )
})

describe('Basic', () => {
  it('is the Base64 of id and secret, as UTF-8', () => {
    const made = basicAuth('partner', 'open sesame: ü')
    const seen: Array<unknown> = []
    made.header.subscribe((header) => seen.push(header))
    // echo -n 'partner:open sesame: ü' | base64
    expect(seen).toEqual([E.right('Basic cGFydG5lcjpvcGVuIHNlc2FtZTogw7w=')])
    expect(made.reject(0)).toBe(false)
  })
})
