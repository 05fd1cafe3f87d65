/** A custom destination in the games. Runs are sessions on it, and its methods are operations. */
import { asyncScheduler, type SchedulerAction, type SchedulerLike, Subscription } from 'rxjs'
import type { Store } from '../../store/Store.js'
import { Waits } from '../../store/Waits.js'
import { isExportError } from '../ExportError.js'
import { CHECKPOINT, type Destination, MANIFEST, type Prepared } from '../transfer/Destination.js'
import { TransferSession } from '../transfer/TransferSession.js'
import { NOTHING, type TransferState } from '../transfer/TransferState.js'
import type { CheckedDestination } from './CheckedDestination.js'
import { Broken, type Place, type RunEnd } from './games.js'
import type { KeptRows } from './KeptRows.js'
import type { Night } from './nights.js'
import type { Owner } from './Owner.js'

const SPEC = { resource: 'rows', account: '', query: {}, format: {}, destination: '.' }

const LEASE = 1_500
const LOOK = LEASE / 15

/** Checks a dead owner's lease without waiting. Renews no lease, because a frozen owner does not renew its lease either. */
const hasty: SchedulerLike = {
  now: () => asyncScheduler.now(),
  schedule: <T>(work: (this: SchedulerAction<T>, state: T) => void, delay = 0, state?: T) =>
    delay <= LOOK
      ? asyncScheduler.schedule<T>(work as (state?: T) => void, 0, state)
      : Subscription.EMPTY,
}

export const sessionPlace = <A>(one: CheckedDestination<A>, name: string): Place => ({
  name,
  run: async (nights, owner, watch) => {
    try {
      await runSession(one, nights, owner, watch)
      return { isComplete: true }
    } catch (error) {
      return endedBy(error)
    }
  },
  read: one.read,
  plant: one.plant,
  planted: one.planted,
  killed: one.killed,
  checkStore: () => expectStore(one),
})

const endedBy = (error: unknown): RunEnd => {
  if (error instanceof Broken) throw error
  const why = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { isComplete: false, tag: isExportError(error) ? error._tag : 'an error', why }
}

const runSession = async <A>(
  one: CheckedDestination<A>,
  nights: ReadonlyArray<Night>,
  owner: Owner,
  watch: KeptRows,
): Promise<void> => {
  watch.opened()
  const opened = await one.open(owner.operation)
  const replaces = nights.some(({ kind }) => kind === 'replaced')
  const destination = stoppable(opened, owner, watch, replaces)
  const { name, store } = destination
  if (store === undefined) throw new Error('a destination without a store cannot be checked')
  const session = await TransferSession.begin<A>({
    ...{ destination, restart: false, replaces, timer: hasty, lease: LEASE, onWait: () => {} },
    waits: new Waits(name, hasty, () => {}),
    stateText: { store, name: CHECKPOINT, path: name },
    begin: async (kept) => (kept as TransferState | undefined) ?? { spec: SPEC }, // the lease is our own
  })
  try {
    for (const night of nights) await runNight(one, night, session, watch)
  } catch (error) {
    throw await session.causeOf(error)
  } finally {
    await session.close()
  }
}

/** Writes pages, one step per page, continuing from the state of the previous owner. */
const runNight = async <A>(
  one: CheckedDestination<A>,
  { number, kind, pages, stopAfter }: Night,
  session: TransferSession<A>,
  watch: KeptRows,
): Promise<void> => {
  const { run } = session.state
  const isBegun = run?.started === String(number) && kind !== 'replaced'
  for (let page = isBegun ? run.counts.pages : 0; page < pages.length; page++) {
    const rows = pages[page] ?? []
    watch.wrote(rows)
    const { destination } = session
    await destination.write(
      rows.map(({ key, version }) => one.row(key, version)),
      { number: 0, isLast: false },
    )
    const isLast = page + 1 === stopAfter
    const step = await destination.commit(isLast ? 'stop' : 'pace')
    if (step !== undefined || isLast) await session.keep(step ?? {}, stateAt(number, page + 1))
    if (isLast) return
  }
  await session.keep(await session.destination.finish(), stateAt(number, pages.length))
}

const stateAt = (night: number, pages: number): TransferState => ({
  spec: SPEC,
  run: { started: String(night), drift: [], counts: { ...NOTHING, pages } },
})

/** Wraps a destination so that its process may stop at any operation. */
const stoppable = <A>(
  own: Destination<A>,
  owner: Owner,
  watch: KeptRows,
  replaces: boolean,
): Destination<A> => {
  const storeOf = (store: Store, isStep: boolean): Store => ({
    read: (name) => store.read(name),
    replace: (name, text, version) =>
      owner.named('replace', async () => {
        const next = await store.replace(name, text, version)
        if (next === undefined || name !== CHECKPOINT) return next
        watch.keptState()
        if (isStep) watch.settled()
        return next
      }),
    remove: (name, version) => owner.named('remove', () => store.remove(name, version)),
    close: async () => store.close?.(),
  })
  const prepared = (step: Prepared, isEnd: boolean): Prepared => {
    const { store, settle } = step
    watch.prepared(step.own, isEnd || !replaces)
    return {
      ...step,
      ...(store && { store: storeOf(store, settle === undefined) }),
      settle: () =>
        owner.named('settle', async () => {
          await settle?.()
          watch.settled()
        }),
    }
  }
  return {
    ...{ name: own.name, rows: own.rows, commitEvery: 0, check: (row) => own.check(row) },
    ...(own.store && { store: storeOf(own.store, false) }),
    resume: (state, taken) =>
      owner.named('resume', async () => {
        await own.resume(state, taken)
        watch.settled()
      }),
    write: (rows, slice) => owner.named('write', () => own.write(rows, slice)),
    reject: (rows) => own.reject(rows),
    commit: async (why) => {
      const step = await owner.named('commit', () => own.commit(why))
      return step && prepared(step, false)
    },
    finish: async () => prepared(await owner.named('finish', () => own.finish()), true),
    close: (why) => own.close(why),
  }
}

// the store

/** Throws unless the store accepts a change only with the text's current version. */
const expectStore = async <A>(one: CheckedDestination<A>): Promise<void> => {
  const expect = (isSo: boolean, why: string): void => {
    if (!isSo) throw new Broken('store', why)
  }
  const { store, close } = await one.open((work) => work())
  if (store === undefined) return
  const first = await store.replace(MANIFEST, 'one', undefined)
  expect(first !== undefined, '`replace` does not create a text that is missing')
  if (first === undefined) return
  const isTaken = (await store.replace(MANIFEST, 'two', undefined)) !== undefined
  expect(!isTaken, '`replace` without a version changes an existing text')
  const second = await store.replace(MANIFEST, 'three', first)
  expect(second !== undefined, '`replace` with the current version does not change the text')
  const isOld = (await store.replace(MANIFEST, 'four', first)) !== undefined
  expect(!isOld, '`replace` with an earlier version changes the text')
  expect(
    !(await store.remove(MANIFEST, first)),
    '`remove` with an earlier version removes the text',
  )
  const found = await store.read(MANIFEST)
  expect(found?.text === 'three', '`read` does not return the text of the last `replace`')
  expect(found?.version === second, '`read` does not return the version of the last `replace`')
  expect(
    await store.remove(MANIFEST, second ?? ''),
    '`remove` with the current version does not remove the text',
  )
  expect((await store.read(MANIFEST)) === undefined, '`read` still returns a text after `remove`')
  await close()
  await store.close?.()
}
