/**
 * Nothing waits in silence: whatever refuses or hangs, from a moment at random on, five seconds later an event, a line of the
 * log at `warn` or the progress says what is waited for, in its own words.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { lastValueFrom, type Observable, Subscription, timer } from 'rxjs'
import { afterAll, expect, it, onTestFinished, vi } from 'vitest'
import { s3Double } from '../../../bench/services/s3Double.js'
import { seeded } from '../../../bench/simulated/random.js'
import { NO_COUNTERS } from '../../../src/cli/progress/ExportCounters.js'
import { monitorProgress } from '../../../src/cli/progress/ProgressMonitor.js'
import { describeStall, type StallReason } from '../../../src/cli/progress/StallReason.js'
import { type Destination, exportTo, sync } from '../../../src/export/index.js'
import { type Charge, type Client, createClient } from '../../../src/index.js'
import { redisQuota } from '../../../src/quota/index.js'
import { createSandbox, sandboxCredentials } from '../../../src/sandbox/index.js'
import { takeLease } from '../../../src/store/lease.js'
import { decodeReport } from '../../quota/fleet.js'
import { memoryStore } from '../../store/memoryStore.js'
import { virtualTime } from '../../support/idleClock.js'
import { runs, SEED } from '../../support/runs.js'

/** In ms: how soon it is said. */
const SOON = 5_000

/** Between two looks, in ms. */
const LOOK = 250

/** Time that passes without a look at the sockets, in ms. */
const STEP = 50

/** From a request to the step with its rows, in ms: its answer takes as long, and so does what gathers rows. */
const BETWEEN_STEPS = 200

const home = mkdtempSync(join(tmpdir(), 'payments-rx-waits-'))
afterAll(() => rmSync(home, { recursive: true }))
let made = 0
const newFile = (extension: string): string => join(home, `${++made}${extension}`)

// the world

/** A service, a client and what refuses, in virtual time. */
class World {
  readonly time = virtualTime()
  readonly timer = this.time.timer
  readonly said: Array<{ readonly at: number; readonly text: string }> = []
  readonly random: () => number
  readonly #start = this.timer.now()
  readonly #from: number
  readonly #until: number
  #atSockets = 0
  /** A first request is to come in which another thread, in real time, has a part. */
  isAwaited = false
  /** Since when something is refused, with nothing done meanwhile. */
  since: number | undefined

  constructor(game: number, random: () => number) {
    this.random = random
    this.#from = game === 0 ? 0 : Math.floor(random() * 8_000)
    this.#until = this.#from + 2 * SOON + Math.floor(random() * 10_000)
  }

  get now(): number {
    return this.timer.now() - this.#start
  }

  get window(): string {
    return `from ${this.#from} to ${this.#until} ms`
  }

  get isOver(): boolean {
    return this.now > this.#until + SOON
  }

  /** Returns whether something is refused now. */
  refuses(): boolean {
    const isRefused = this.now >= this.#from && this.now < this.#until
    if (isRefused) this.since ??= this.now
    else this.since = undefined
    return isRefused
  }

  /** Hangs while it should. */
  async hangs(): Promise<void> {
    if (!this.refuses()) return
    await lastValueFrom(timer(this.#until - this.now, this.timer))
    this.since = undefined
  }

  /** Lets time pass, but not while a socket has not answered. */
  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += STEP) {
      while (this.#atSockets > 0 || (this.isAwaited && this.now > 1_000)) {
        await new Promise((resolve) => setImmediate(resolve))
      }
      await this.time.pass(STEP)
    }
  }

  /** Has `fetch` of this process counted, until the test is over. */
  watchSockets(): void {
    const { fetch } = globalThis
    vi.stubGlobal('fetch', async (...asked: Parameters<typeof fetch>) => {
      this.#atSockets++
      try {
        const response = await fetch(...asked)
        return new Response(await response.arrayBuffer(), response)
      } finally {
        this.#atSockets--
      }
    })
    onTestFinished(() => {
      vi.stubGlobal('fetch', fetch)
    })
  }

  at(begin: () => void, end: () => void): void {
    const run = (ms: number, work: () => void) => this.timer.schedule(work, Math.max(0, ms))
    run(this.#from - this.now, begin)
    run(this.#until - this.now, end)
  }

  say = (text: string): void => {
    this.said.push({ at: this.now, text })
  }

  /** A client of a sandbox with a row each 100 ms; `answer`: in place of what that answers. */
  client(
    answer: (url: string) => Promise<Response | undefined> = async () => undefined,
    options: Partial<Parameters<typeof createClient>[0]> = {},
  ): Client {
    const sandbox = createSandbox({
      charges: 3_000,
      limits: false,
      latency: 100,
      timer: this.timer,
    })
    return createClient({
      baseUrl: 'https://sandbox',
      credentials: sandboxCredentials,
      fetch: async (input, init) => (await answer(String(input))) ?? sandbox.fetch(input, init),
      retry: { patience: 10 * 60_000, faults: 1_000 },
      timer: this.timer,
      log: { debug: () => {}, info: () => {}, warn: (_, line) => this.say(line), error: () => {} },
      ...options,
    } as Parameters<typeof createClient>[0])
  }
}

// what is played

interface Play {
  readonly name: string
  /** How it is said. */
  readonly words: RegExp
  /** Begins a run, and resolves with the client of it. */
  readonly begin: (
    world: World,
  ) => Promise<{ readonly client: Client; readonly run: Observable<unknown> }>
}

/** Reads all rows into nothing. */
const reading = (client: Client, world: World) =>
  exportTo(client.charges.snapshot({ page_size: 10 }).parallel(2), {
    out: async () => {},
    timer: world.timer,
  })

const exporting = (client: Client, { timer }: World, out: Destination<Charge>) =>
  exportTo(client.charges.snapshot({ page_size: 10 }), { out, timer })

/** A service that answers so, for a while. */
const answering = (
  name: string,
  words: RegExp,
  answer: (world: World, url: string) => Promise<Response | undefined>,
): Play => ({
  name,
  words,
  begin: async (world) => {
    const client = world.client((url) => answer(world, url))
    return { client, run: reading(client, world) }
  },
})

const refusal =
  (status: number, headers: HeadersInit = {}) =>
  async (world: World) =>
    world.refuses()
      ? Response.json({ code: 'away', message: 'away' }, { status, headers })
      : undefined

const hanging = async (world: World): Promise<undefined> => {
  await world.hangs()
}

/** A quota whose Redis does so, for a while. */
const quota = (name: string, words: RegExp, refused: (world: World) => Promise<void>): Play => ({
  name,
  words,
  begin: async (world) => {
    world.isAwaited = true // its script is hashed
    const shared = redisQuota({
      account: 'main',
      send: async (command) => {
        world.isAwaited = false
        await refused(world)
        return decodeReport(command).claims.flatMap(({ limit }) => [limit, 1])
      },
    })
    const client = world.client(undefined, { quota: shared })
    return { client, run: reading(client, world) }
  },
})

/** Takes rows into memory; `held`: before each operation. */
const own = (held: () => Promise<void>, store = memoryStore()): Destination<Charge> => ({
  ...{ name: 'memory', commitEvery: 0, rows: 'byId', check: () => undefined },
  store: {
    read: async (name) => held().then(() => store.read(name)),
    replace: async (...text) => held().then(() => store.replace(...text)),
    remove: async (...text) => held().then(() => store.remove(...text)),
  },
  resume: held,
  write: held,
  reject: held,
  commit: () => held().then(() => ({ own: {}, settle: held })),
  finish: () => held().then(() => ({ own: {}, settle: held })),
  close: held,
})

const LATER = { 'retry-after': '7' }

const PLAYS: Readonly<Record<StallReason['_tag'], ReadonlyArray<Play>>> = {
  Fault: [
    answering('a service that fails', /503 away/, refusal(503)),
    answering('a service that says when', /503 away/, refusal(503, LATER)),
    answering('a login that fails', /login: 503 away/, async (world, url) =>
      url.endsWith('/login') ? refusal(503)(world) : undefined,
    ),
  ],
  Refused: [
    answering('a service that refuses', /refused \(429\)/, refusal(429)),
    answering('a service that refuses until', /refused \(429\)/, refusal(429, LATER)),
  ],
  Silence: [
    answering('a service that is silent', /no response/, hanging),
    answering('a login that is silent', /no response/, async (world, url) =>
      url.endsWith('/login') ? hanging(world) : undefined,
    ),
  ],
  Destination: [
    {
      name: 'a destination of your own',
      words: /memory: waited 5 s so far: it does not respond/,
      begin: async (world) => {
        const client = world.client()
        const out = own(() => world.hangs())
        return { client, run: exporting(client, world, out) }
      },
    },
    {
      name: 'a lease of another owner',
      words: /memory: another run is using it/,
      begin: async (world) => {
        const store = memoryStore()
        const idle = { now: () => 0, schedule: () => Subscription.EMPTY }
        await takeLease({ store, name: 'checkpoint', path: 'memory', timer: idle, length: 20_000 })
        const client = world.client()
        const out = own(async () => {}, {
          ...store,
          read: async (name) => {
            const found = await store.read(name)
            if (found?.text.includes('"length":20000')) world.since ??= world.now
            else world.since = undefined
            return found
          },
        })
        return { client, run: exporting(client, world, out) }
      },
    },
    {
      name: 'a database of SQLite that another program has locked',
      words: /database is locked/,
      begin: async (world) => {
        const to = newFile('.sqlite')
        const client = world.client(async () => {
          // while it reads, it does not wait for the database
          if (world.since !== undefined) world.since = world.now + BETWEEN_STEPS
          return undefined
        })
        const options = { to, timer: world.timer, account: 'x', table: 'other' }
        await world.time.run(lastValueFrom(sync(client.charges, options)))
        const other = new DatabaseSync(to)
        onTestFinished(() => other.close())
        const exec = (sql: string) => () => {
          other.exec(sql)
          world.refuses()
        }
        world.at(exec('BEGIN EXCLUSIVE'), exec('ROLLBACK'))
        return { client, run: sync(client.charges, { to, timer: world.timer }) }
      },
    },
    {
      name: 'a bucket that is overloaded',
      words: /503 SlowDown/,
      begin: async (world) => {
        const double = await s3Double({
          faults: () => {
            world.isAwaited = false
            return world.refuses() ? 'slow-down' : undefined
          },
        })
        onTestFinished(() => double.close())
        world.watchSockets()
        world.isAwaited = true // its request is signed
        const client = world.client()
        const out = `s3://bucket/${++made}/`
        const { env } = double
        const rows = client.charges.snapshot({ page_size: 10 })
        return { client, run: exportTo(rows, { out, env, timer: world.timer }) }
      },
    },
  ],
  Quota: [
    quota('a Redis that refuses', /NOPERM/, async (world) => {
      if (world.refuses())
        throw new Error("NOPERM User x has no permissions to run the 'evalsha' command")
    }),
    quota('a Redis that is silent', /no reply within 1 s|the rate limit/, async (world) => {
      if (world.refuses()) await new Promise(() => {})
    }),
  ],
  Lowered: [
    {
      name: 'a limit that is lower than it says',
      words: /limit (taken )?as|refused \(429\)|are admitted/,
      begin: async (world) => {
        let busy = 0
        const client = world.client(async () => {
          if (busy < 2) {
            busy++
            world.timer.schedule(() => busy--, 1_000)
            return undefined
          }
          return refusal(429)(world)
        })
        return { client, run: reading(client, world) }
      },
    },
  ],
  Limit: [
    {
      name: 'a rate limit',
      words: /queued by the global limit/,
      begin: async (world) => waitingFor(world, world.client(undefined, { limits: { global: 1 } })),
    },
    {
      name: 'a limit of requests at once',
      words: /queued by the concurrency limit/,
      begin: async (world) => {
        const client = world.client(() => hanging(world), { limits: { concurrency: 1 } })
        return waitingFor(world, client)
      },
    },
  ],
  // says why a run is not faster: nothing refuses
  Width: [],
}

/** Requests that wait for a limit are what is refused. */
const waitingFor = (world: World, client: Client) => {
  onTestFinished(() => listening.unsubscribe())
  const listening = client.scheduler.state.subscribe(({ waiting }) => {
    world.since = waiting > 0 ? (world.since ?? world.now) : undefined
  })
  return { client, run: reading(client, world) }
}

// the law

const plays = Object.values(PLAYS).flat()

it.each(plays)(`$name (seed ${SEED})`, async ({ words, begin }) => {
  const random = seeded(SEED)
  let judged = 0
  for (let game = 0; game < runs(3) || (judged === 0 && game < 20); game++) {
    const world = new World(game, random)
    const { client, run } = await begin(world)
    const monitor = monitorProgress({ client, counters: () => NO_COUNTERS, timer: world.timer })
    let isEnded = false
    const end = () => {
      isEnded = true
    }
    const running = run.subscribe({ complete: end, error: end })
    while (!world.isOver && !isEnded) {
      await world.pass(LOOK)
      const { since, now } = world
      if (isEnded || since === undefined || now - since < SOON + LOOK) continue
      judged++
      const reasons = monitor.current().stallReasons.map(describeStall)
      const told = world.said.filter(({ at }) => at >= since).map(({ text }) => text)
      const played = `game ${game}, ${world.window}, at ${now} since ${since}`
      expect([...reasons, ...told].join('\n'), played).toMatch(words)
    }
    running.unsubscribe()
    monitor.close()
  }
  expect(judged).toBeGreaterThan(0)
})
