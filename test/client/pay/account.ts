/** An account of a sandbox with a ledger of its own, in which runs of payments are killed, and run again. */
import { lastValueFrom, type Observable, Subject, takeUntil, toArray } from 'rxjs'
import type { Client, Fetch, PayAllOptions, PayEvent, PayItems } from '../../../src/index.js'
import { createSandbox, type Sandbox, type SandboxOptions } from '../../../src/sandbox/index.js'
import { virtualTime } from '../../support/idleClock.js'
import { sandboxClient } from '../../support/sandboxClient.js'

// model

/** Where a run is killed: at its n-th request of a kind, before that leaves, or when it was answered. */
export interface Kill {
  readonly at: number
  readonly when: 'before' | 'after'
  /** Counts writes alone. */
  readonly writes?: boolean
}

/** A write that the sandbox has accepted, in the order of their effects. */
export interface Entry {
  readonly call: 'create' | 'add_items' | 'quote' | 'submit' | 'delete' | 'delete_items'
  /** The id of the batch. */
  readonly batch: string
  /** Items that were new to the batch. */
  readonly added: ReadonlyArray<string>
}

export interface RunOptions extends Partial<PayAllOptions> {
  readonly kill?: Kill | undefined
  /** The fetch of this run, around that of the sandbox. */
  readonly around?: ((fetch: Fetch) => Fetch) | undefined
}

export const RUN = 'wages-2026-01'

const WRITE =
  /\/batch_transfers\/(?:(create)$|([^/]+)\/(add_items|quote|submit|delete|delete_items)$)/

// the account

/** The fetch of a sandbox, with whole responses. */
export type Service = Sandbox['fetch']

export interface AccountOptions extends Partial<SandboxOptions> {
  /** How long a new batch or item is not shown in lists, in ms. */
  readonly lag?: () => number
  /** Changes the answers of the sandbox, as a platform might. */
  readonly served?: (fetch: Service) => Service
}

export const account = ({ lag, served = (fetch) => fetch, ...options }: AccountOptions = {}) => {
  const { timer, run: inTime, pass } = virtualTime()
  const sandbox = createSandbox({ charges: 0, bookEvery: 1, limits: false, timer, ...options })
  const service = served(sandbox.fetch)
  const entries: Array<Entry> = []
  /** The items of each batch, and how often each was paid, by this ledger. */
  const batches = new Map<string, Set<string>>()
  const paid = new Map<string, number>()

  /** When batches and items are shown in lists. */
  const shownAt = new Map<string, number>()
  const appear = (key: string): void => {
    if (lag !== undefined) shownAt.set(key, timer.now() + lag())
  }

  /** Leaves out of a list what is not shown yet. */
  const asShown = async (url: string, response: Response): Promise<Response> => {
    const [, id] = /\/batch_transfers(?:\/([^/?]+)\/items)?(?:\?|$)/.exec(url) ?? []
    if (lag === undefined || !response.ok || !/\/items|\?/.test(url)) return response
    const page = (await response.json()) as { readonly items: ReadonlyArray<Item & { id: string }> }
    const items = page.items.filter((row) => {
      const key = id === undefined ? row.id : `${id} ${row.request_id}`
      return (shownAt.get(key) ?? 0) <= timer.now()
    })
    return new Response(JSON.stringify({ ...page, items }), { status: response.status })
  }

  const record = async (url: string, body: unknown, response: Response): Promise<void> => {
    const [, created, id = '', name = ''] = WRITE.exec(url) ?? []
    if (!response.ok) return
    if (created !== undefined) {
      const made = (await response.clone().json()) as { readonly id: string }
      batches.set(made.id, new Set())
      appear(made.id)
      entries.push({ call: 'create', batch: made.id, added: [] })
      return
    }
    if (name === '') return
    const held = batches.get(id) ?? new Set()
    const sent = name === 'add_items' ? (JSON.parse(String(body)).items as ReadonlyArray<Item>) : []
    const added = sent.map(({ request_id }) => request_id).filter((one) => !held.has(one))
    for (const one of added) {
      held.add(one)
      appear(`${id} ${one}`)
    }
    if (name === 'submit') for (const one of held) paid.set(one, 1 + (paid.get(one) ?? 0))
    entries.push({ call: name as Entry['call'], batch: id, added })
  }

  /** Once a request has left, it is dealt with, whoever waits for the answer. */
  const asked: Fetch = async (url, init) => {
    const response = await service(url, { ...init, signal: new AbortController().signal })
    await record(url, init?.body, response)
    return asShown(url, response)
  }

  const clientOf = (fetch: Fetch = asked): Client =>
    sandboxClient(fetch, { timer, random: () => 0 })

  /** One process: what it emits until it ends or is killed, and how many requests it sends. */
  const life = async <A>(
    job: (client: Client) => Observable<A>,
    { kill, around = (fetch) => fetch }: Pick<RunOptions, 'kill' | 'around'> = {},
  ) => {
    const killed = new Subject<void>()
    let sent = 0
    let writes = 0
    const doomed: Fetch = (url, init) => {
      sent++
      if (WRITE.test(url)) writes++
      const isDue =
        kill?.writes === true ? WRITE.test(url) && writes === kill.at : sent === kill?.at
      if (!isDue) return asked(url, init)
      const done = kill?.when === 'after' ? asked(url, init) : Promise.resolve()
      void done.then(() => killed.next())
      return new Promise(() => {})
    }
    const events = await lastValueFrom(
      job(clientOf(around(doomed))).pipe(takeUntil(killed), toArray()),
    )
    return { events, sent, writes }
  }

  const start = <F = never>(items: PayItems<F>, { kill, around, ...options }: RunOptions = {}) => {
    const { approve, approved } = options
    const yes =
      approved === undefined ? { approve: approve ?? (() => true) } : { approve, approved }
    return life((client) => client.batchTransfers.payAll({ run: RUN, ...options, ...yes })(items), {
      kill,
      ...(around === undefined ? {} : { around }),
    })
  }

  return { sandbox, timer, inTime, pass, clientOf, asked, life, start, entries, paid }
}

interface Item {
  readonly request_id: string
}

export type Account = ReturnType<typeof account>

// events

type Tagged<Tag> = Extract<PayEvent, { readonly _tag: Tag }>

export const ofTag = <Tag extends PayEvent['_tag']>(
  events: ReadonlyArray<{ readonly _tag: string }>,
  tag: Tag,
): ReadonlyArray<Tagged<Tag>> =>
  events.flatMap((event) => {
    const value = 'right' in event ? (event.right as PayEvent) : undefined
    return value?._tag === tag ? [value as Tagged<Tag>] : []
  })

// faults

/** Answers of a gateway, which say nothing of the request. */
const GATEWAY = [502, 503, 504, 429, 401, 403, 400, 499] as const

/** Loses answers, or puts those of a gateway in their place, before the request has an effect or after it. */
export const faulty =
  (random: () => number, chance: number) =>
  (fetch: Fetch): Fetch =>
  async (url, init) => {
    if (random() >= chance) return fetch(url, init)
    if (random() < 0.5) await fetch(url, init)
    const status = GATEWAY[Math.floor(random() * 2 * GATEWAY.length)]
    if (status !== undefined) return new Response('<html>gateway</html>', { status })
    throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } })
  }
