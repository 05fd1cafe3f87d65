/** Clients over real sockets, for which seconds pass in milliseconds. */
import { lastValueFrom, toArray } from 'rxjs'
import { afterEach } from 'vitest'
import { E } from '../../src/fp.js'
import {
  type Charge,
  type Client,
  type ClientOptions,
  createClient,
  type Failure,
} from '../../src/index.js'
import { idleClock } from './idleClock.js'
import { CLIENT, type JudgeOptions, judge, type Seen } from './judge.js'

const open: Array<() => Promise<void>> = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()))
})

/** Closes a server at the end of this test. */
export const closing = <A extends { readonly close: () => Promise<void> }>(server: A): A => {
  open.push(server.close)
  return server
}

const NO_LIMITS = {
  global: Number.POSITIVE_INFINITY,
  endpoint: Number.POSITIVE_INFINITY,
  concurrency: 50,
  logins: Number.POSITIVE_INFINITY,
}

export const clientOf = (baseUrl: string, more: Partial<ClientOptions> = {}): Client =>
  createClient({
    baseUrl,
    credentials: CLIENT,
    limits: NO_LIMITS,
    timer: idleClock,
    random: () => 0,
    ...more,
  })

/** An independent server, and a client that uses it. */
export const judged = async (options: JudgeOptions = {}, more: Partial<ClientOptions> = {}) => {
  const server = closing(await judge(options))
  const client = clientOf(server.url, more)
  const calls = () => server.seen.filter(({ route }) => !route.endsWith('/login'))
  return { server, client, calls }
}

/** Reads every item of a list. */
export const all = (client: Client, filter: Parameters<Client['charges']['list']>[0] = {}) =>
  lastValueFrom(client.charges.list(filter).pipe(toArray()))

export const idOf = (item: E.Either<Failure, Charge>): string =>
  E.isRight(item) ? item.right.id : item.left._tag

/** Returns the ids of the server's charges. */
export const ids = (count: number) => Array.from({ length: count }, (_, n) => `chg_${n}`)

export const newCharge = {
  amount: '12.50',
  currency: 'EUR',
  reason: 'goods_purchased',
  reference: 'Zoë €',
  source: 'acct_1',
} as const

export const isList = ({ route }: Seen): boolean => route === 'GET /api/v1/charges'
