/** The laws of `Destination`, for tests of your own: lists go into it while owners die, or stand still, at any moment. */
import { asyncScheduler, type SchedulerAction, type SchedulerLike, Subscription } from 'rxjs'
import {
  checkOptions,
  is,
  type OptionsOf,
  type OptionsTable,
  withDefault,
} from '../options/index.js'
import type { Store } from '../store/Store.js'
import { Waits } from '../store/Waits.js'
import { isExportError } from './ExportError.js'
import { CHECKPOINT, type Destination, type Prepared } from './transfer/Destination.js'
import { TransferSession } from './transfer/TransferSession.js'
import type { RunState, TransferState } from './transfer/TransferState.js'

// model

/** One destination, empty at first. */
export interface CheckedDestination<A> {
  /** Opens it, as another process would: it shares nothing with the one opened before. */
  readonly open: () => Promise<Destination<A>>
  /** Reads the keys of the rows that are to be seen there, in any order. */
  readonly read: () => Promise<ReadonlyArray<string>>
  /** Makes a row of a key: the same for the same. */
  readonly row: (key: string) => A
}

const table = {
  /** Draws the same moments again. Default: at random; the error of a law that is broken names it. */
  seed: is.nonNegativeIntOrInfinity,
  /** How many lists are played. Default 20. */
  games: withDefault(is.int(1), 20),
}

/** Options of `checkDestination`. */
export interface CheckOptions extends OptionsOf<typeof table> {}

const rules: OptionsTable<CheckOptions> = table

// constructors

/**
 * Checks the laws of a destination: a step is kept whole or not at all, a run that was killed anywhere is gone on with, the
 * end done twice is as done once, and an owner that stood still while another took over changes nothing. `make` makes an empty
 * one for each game. Rejects with an `Error` that says which law is broken, where, and by which seed.
 *
 *     it('keeps the laws', () => checkDestination(async () => ({ open, read, row })))
 */
export const checkDestination = async <A>(
  make: () => Promise<CheckedDestination<A>>,
  options: CheckOptions = {},
): Promise<void> => {
  const { games = table.games.default, seed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 1 } =
    checkOptions(options, rules)
  const below = chance(seed)
  for (let game = 0; game < games; game++) {
    const keys = Array.from({ length: 3 + below(12) }, (_, i) => `key-${1_000 + i}`)
    const pages = cut(keys, 1 + below(4))
    const dry = new Owner()
    await dry.run(await make(), pages)
    for (const how of ['killed', 'frozen'] as const) {
      const stop = { nth: 1 + below(dry.count), after: below(2) === 1 }
      const one = await make()
      const first = new Owner(stop)
      const ended = first.run(one, pages).then(
        () => 'complete',
        (error: unknown) => error,
      )
      await Promise.race([first.stopped, ended])
      const why = `${how} ${stop.after ? 'after' : 'before'} operation ${stop.nth} (${first.at}), seed ${seed}`
      await new Owner().run(one, pages)
      compare(await one.read(), keys, why)
      if (how === 'killed') continue
      first.thaw()
      const end = await ended
      if (end !== 'complete' && !isExportError(end)) throw end
      compare(await one.read(), keys, `thawed, after it was ${why}`)
    }
  }
}

const compare = (found: ReadonlyArray<string>, keys: ReadonlyArray<string>, why: string): void => {
  const [is, should] = [JSON.stringify([...found].sort()), JSON.stringify(keys)]
  if (is !== should) throw new Error(`a destination has ${is} in place of ${should}: ${why}`)
}

const cut = (keys: ReadonlyArray<string>, size: number): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from({ length: Math.ceil(keys.length / size) }, (_, page) =>
    keys.slice(page * size, (page + 1) * size),
  )

/** Returns whole numbers from 0 on, below an end (mulberry32). */
const chance = (seed: number) => {
  let state = seed | 0
  return (end: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end)
  }
}

// owners

const SPEC = { resource: 'rows', account: '', query: {}, format: {}, destination: '.' }

/** Looks at the lease of a dead owner without waiting, and renews none. */
const hasty: SchedulerLike = {
  now: () => asyncScheduler.now(),
  schedule: <T>(work: (this: SchedulerAction<T>, state: T) => void, delay = 0, state?: T) =>
    delay <= LOOK
      ? asyncScheduler.schedule<T>(work as (state?: T) => void, 0, state)
      : Subscription.EMPTY, // a frozen owner renews nothing, however slow the machine is
}
const LEASE = 1_500
const LOOK = LEASE / 15

/** A process that dies or stands still before or after its n-th operation. */
class Owner {
  count = 0
  at = ''
  stopped: Promise<void>
  thaw: () => void = () => {}
  readonly #stop: { readonly nth: number; readonly after: boolean } | undefined
  readonly #thawed: Promise<void>
  #tellStopped: () => void = () => {}

  constructor(stop?: { readonly nth: number; readonly after: boolean }) {
    this.#stop = stop
    this.stopped = new Promise((resolve) => {
      this.#tellStopped = resolve
    })
    this.#thawed = new Promise((resolve) => {
      this.thaw = resolve
    })
  }

  /** Writes pages, a step each, from wherever an earlier owner stood. */
  async run<A>(
    one: CheckedDestination<A>,
    pages: ReadonlyArray<ReadonlyArray<string>>,
  ): Promise<void> {
    const destination = this.#stoppable(await one.open())
    const { store } = destination
    if (store === undefined) throw new Error('a destination without a store has no laws to keep')
    const session = await TransferSession.begin<A>({
      ...{ destination, restart: false, timer: hasty, lease: LEASE, onWait: () => {} },
      waits: new Waits(destination.name, hasty, () => {}),
      stateText: { store, name: CHECKPOINT, path: destination.name },
      begin: async (kept) => (kept as TransferState | undefined) ?? { spec: SPEC }, // it is our own
    })
    try {
      for (let page = session.state.run?.counts.pages ?? 0; page < pages.length; page++) {
        const rows = (pages[page] ?? []).map((key) => one.row(key))
        await destination.write(rows, { number: 0, isLast: false })
        const step = await destination.commit(page % 3 === 2 ? 'stop' : 'pace')
        if (step !== undefined) await session.keep(step, stateAt(page + 1))
      }
      await session.keep(await destination.finish(), stateAt(pages.length))
    } catch (error) {
      throw await session.causeOf(error)
    } finally {
      await session.close()
    }
  }

  /** The destination again, whose every operation may be the last. */
  #stoppable<A>(own: Destination<A>): Destination<A> {
    const step = (prepared: Prepared): Prepared => ({
      ...prepared,
      ...(prepared.store && { store: this.#stoppableStore(prepared.store) }),
      ...(prepared.settle && { settle: this.#operation('settle', prepared.settle) }),
    })
    const { store, open: _, counted: __, ...rest } = own
    const commit = this.#operation('commit', own.commit)
    const finish = this.#operation('finish', own.finish)
    return {
      ...rest,
      ...{ name: own.name, commitEvery: own.commitEvery, check: own.check },
      ...(store && { store: this.#stoppableStore(store) }),
      resume: this.#operation('resume', own.resume),
      write: this.#operation('write', own.write),
      reject: own.reject,
      commit: async (why) => {
        const prepared = await commit(why)
        return prepared && step(prepared)
      },
      finish: async () => step(await finish()),
      close: (why) => own.close(why),
    }
  }

  #stoppableStore(store: Store): Store {
    return {
      ...store,
      read: store.read,
      replace: this.#operation('replace', store.replace),
      remove: this.#operation('remove', store.remove),
    }
  }

  #operation<Args extends ReadonlyArray<unknown>, T>(
    name: string,
    work: (...args: Args) => Promise<T>,
  ): (...args: Args) => Promise<T> {
    return async (...args) => {
      const nth = ++this.count
      const isLast = nth === this.#stop?.nth
      if (isLast) this.at = name
      if (isLast && !this.#stop?.after) await this.#stand()
      const done = await work(...args)
      if (isLast && this.#stop?.after) await this.#stand()
      return done
    }
  }

  async #stand(): Promise<void> {
    this.#tellStopped()
    await this.#thawed
  }
}

const stateAt = (pages: number): TransferState => ({
  spec: SPEC,
  run: {
    ...{ started: '', drift: [] },
    counts: { ...NONE, pages },
  } satisfies RunState,
})

const NONE = {
  ...{ rows: 0, rejects: 0, repeated: 0, requests: 0, refused: 0, ms: 0, starts: 0 },
  slices: [],
}
