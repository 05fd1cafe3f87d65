/** Plays a seed: an account that moves between any two requests, and a table that is kept by its changes. */
import { NEVER, Subject } from 'rxjs'
import { asking } from '../../src/changes/Asking.js'
import { prove } from '../../src/changes/proof/prove.js'
import { sweep } from '../../src/changes/proof/sweep.js'
import { E } from '../../src/fp.js'
import type { ChangeEvent, Charge, Store } from '../../src/index.js'
import type { WebhookEvent } from '../../src/webhooks/index.js'
import {
  Account,
  clientOf,
  clock,
  type Entry,
  type Foreign,
  isFinal,
  iso,
  START,
  secondsOf,
} from './play.js'
import { copyOf, DAY, type Row, randomOf } from './rows.js'

export interface PlayOptions {
  readonly seed: number
  readonly polls: number
  readonly rows?: number
  /** Processes die between a delivery and its acknowledgement. */
  readonly kills?: boolean
  /** The clock of the service is wrong in a tenth of the answers. */
  readonly skew?: boolean
}

export interface Played {
  /** Rows that the table lacks or has wrongly after a quiet poll, though a poll reports such changes. */
  readonly unexplained: ReadonlyArray<string>
  /** Rows that it has wrongly, as the promise allows. */
  readonly explained: number
  /** Changes that were told, and those of them that had been told before. */
  readonly told: number
  readonly doubled: number
  readonly kills: number
  readonly outages: number
  readonly requests: number
  readonly polls: number
  /** Changes that a quiet poll told. */
  readonly quiet: number
  /** The counts of a proof differ. */
  readonly unproven: number
  /** Rows that are missing, gone, or of another status, up to an hour ago: after a proof, and after a sweep. */
  readonly afterNight: number
  readonly afterSweep: number
  /** Requests of the proof. */
  readonly proving: number
}

const EVERY = 30

const rowOf = ({
  id,
  status,
  created_at,
}: Pick<Entry | Charge, 'id' | 'status' | 'created_at'>): Row => ({
  id,
  status,
  created: secondsOf(created_at),
})

/** Identifies a version of a row, as a stream does. */
const versionOf = ({ status, updated_at, amount }: Entry | Charge): string =>
  `${status} ${updated_at} ${amount}`

export const play = async ({
  seed,
  polls,
  rows = 2_000,
  kills = true,
  skew = false,
}: PlayOptions): Promise<Played> => {
  const random = randomOf(seed)
  const any = <A>(some: ReadonlyArray<A>): A => {
    const one = some[Math.floor(random() * some.length)]
    if (one === undefined) throw new Error('none')
    return one
  }
  const foreign = any<Foreign>(['none', 'accepted', 'refused'])
  const time = clock()
  const account = new Account()
  const hints = new Subject<E.Either<never, WebhookEvent>>()
  /** Ids of changes that a poll need not see. */
  const explained = new Set<string>()
  let isMoving = false
  const now = (): number => time.seconds()

  for (let i = 0; i < rows; i++) {
    const created = START - 400 * DAY * (1 - i / rows) - 1
    const status =
      random() < 0.02 ? any(['PENDING', 'SUSPENDED']) : random() < 0.05 ? 'FAILED' : 'SETTLED'
    account.add(created, status, created)
  }
  const hint = (id: string): void => {
    const data = random() < 0.5 ? { id } : { object: { id } }
    const event: WebhookEvent = { id: `evt_${id}`, name: 'charge.settled', data, raw: {} }
    hints.next(E.right(event))
  }
  const changed = (id: string, change: Partial<Entry>): void => {
    account.set(id, change, now())
    if (random() < 0.7) hint(id)
    if (random() < 0.1) hint(id)
    if (random() < 0.02) hint('forged')
  }
  const isOnHold = (): boolean => foreign !== 'none' && random() < 0.1
  const move = (): void => {
    if (!isMoving) return
    if (random() < 0.4) account.add(now(), isOnHold() ? 'ON_HOLD' : 'NEW', now())
    if (random() < 0.1) account.add(now() - random() * 30 * 60, any(['NEW', 'PENDING']), now()) // late
    if (random() < 0.5) {
      const open = [...account.entries.values()].filter((entry) => !isFinal(entry))
      if (open.length > 0) {
        const status =
          random() < 0.7
            ? 'SETTLED'
            : isOnHold()
              ? 'ON_HOLD'
              : any(['FAILED', 'SUSPENDED', 'PENDING'])
        changed(any(open).id, { status })
      }
    }
    const old = (): string | undefined => {
      const entry = account.entries.get(any(account.order))
      return entry !== undefined && isFinal(entry) && secondsOf(entry.created_at) < now() - 7_200
        ? entry.id
        : undefined
    }
    if (random() < 0.02) {
      const id = old()
      if (id !== undefined) {
        explained.add(id)
        changed(id, { status: any(['SETTLED', 'FAILED']) })
      }
    }
    if (random() < 0.01) {
      const id = old()
      if (id !== undefined) {
        explained.add(id)
        changed(id, { amount: Math.floor(random() * 1e6) })
      }
    }
    if (random() < 0.01)
      explained.add(
        account.add(now() - (1 + random() * 20) * DAY, any(['SETTLED', 'FAILED']), now()),
      )
    if (random() < 0.01) {
      const id = any(account.order)
      explained.add(id)
      account.delete(id)
    }
  }
  let faults = 0.01
  const { client, asked } = clientOf({
    clock: time,
    account,
    foreign,
    takes: () => 0.4 + random() * 0.8,
    before: () => {
      move()
      return isMoving && random() < faults ? any([500, 429]) : undefined
    },
    ...(skew
      ? { date: () => now() + (isMoving && random() < 0.1 ? any([-30, -1, 1, 30]) * DAY : 0) }
      : {}),
  })

  // the table, and the store of the stream
  const table = new Map([...account.entries.values()].map((entry) => [entry.id, versionOf(entry)]))
  const copy = copyOf([...account.entries.values()].map(rowOf))
  const texts = new Map<string, { text: string; version: string }>()
  let versions = 0
  let generation = 0
  /** A process that was killed reaches the store no more. */
  const storeOf = (own: number): Store => ({
    read: async (name) => texts.get(name),
    replace: async (name, text, version) => {
      if (own !== generation) return new Promise(() => {})
      if (texts.get(name)?.version !== version) return undefined
      const fresh = `v${++versions}`
      texts.set(name, { text, version: fresh })
      return fresh
    },
    remove: async () => true,
  })
  let told = 0
  let doubled = 0
  let outages = 0
  let killed = 0
  let done = 0
  const take = (event: ChangeEvent<Charge>): void => {
    if (E.isLeft(event)) {
      outages++
      return
    }
    told++
    const { value } = event.right
    const version = versionOf(value)
    if (table.get(value.id) === version && event.right.kind === 'changed') doubled++
    table.set(value.id, version)
    copy.rows.put(rowOf(value))
  }
  const start = () =>
    client.charges
      .changes({
        since: iso(START),
        every: EVERY * 1_000,
        store: storeOf(generation),
        events: hints,
      })
      [Symbol.asyncIterator]()
  let stream = start()
  let untilKill = Number.POSITIVE_INFINITY
  let isOver = false
  const consume = async (own: number): Promise<void> => {
    while (!isOver && own === generation) {
      const next = await stream.next()
      if (own !== generation || next.done === true) return
      take(next.value)
      if (--untilKill < 0) {
        killed++
        generation++
        untilKill = Number.POSITIVE_INFINITY
        stream = start()
        void consume(generation)
      }
    }
  }
  void consume(generation)
  await time.pass(EVERY / 2) // the first poll finds the ledger as the table has it
  isMoving = true
  for (done = 0; done < polls; done++) {
    if (kills && random() < 0.08) untilKill = Math.floor(random() * 12)
    await time.pass(EVERY)
  }
  isMoving = false
  faults = 0
  untilKill = Number.POSITIVE_INFINITY
  await time.pass(11 * EVERY + 60) // one poll of each kind, and those of a killed one
  const before = told
  await time.pass(10 * EVERY)
  const quiet = told - before
  isOver = true
  await time.run(Promise.resolve(stream.return?.()))

  const unexplained: Array<string> = []
  let allowed = 0
  for (const entry of account.entries.values()) {
    const version = table.get(entry.id)
    if (version === versionOf(entry)) continue
    if (explained.has(entry.id)) allowed++
    else unexplained.push(`${entry.id} ${entry.created_at}: ${version} is ${versionOf(entry)}`)
  }
  const until = Math.floor(now()) - 3_600
  const asks = asking(client.charges.ledger, NEVER)
  const proof = await time.run(prove(asks, copy, { until, final: ['SETTLED', 'FAILED'] }))
  const proving = asks.requests()
  const wrong = (): number => {
    const there = new Map(
      [...account.entries.values()].map(rowOf).map((row) => [row.id, row] as const),
    )
    const settled = ({ created }: Row): boolean => created <= until
    const missing = [...there.values()].filter(
      (row) => settled(row) && copy.rows.byId.get(row.id)?.status !== row.status,
    )
    const gone = [...copy.rows.byId.values()].filter((row) => settled(row) && !there.has(row.id))
    return missing.length + gone.length
  }
  const afterNight = wrong()
  await time.run(sweep(asks, copy, { until, now: until, nights: 1 }))
  return {
    afterNight,
    afterSweep: wrong(),
    unproven: proof.differences.length,
    proving,
    unexplained,
    explained: allowed,
    told,
    doubled,
    kills: killed,
    outages,
    requests: asked.length,
    polls: done,
    quiet,
  }
}
