/**
 * Any destination as a kind that has the laws: what it does is stopped at each call of its contract, at each change of
 * its store, and at each operation that it names itself.
 */
import { isExportError } from '../../../src/export/index.js'
import { type Lease, takeLease } from '../../../src/store/lease.js'
import type { Store } from '../../../src/store/Store.js'
import { quickLooks } from '../transfer/playing.js'
import type { End, Kind, LawRow } from './laws.js'
import { type Operation, operated } from './Owner.js'

// model

/** A step that is ready. */
interface LawStep {
  readonly own?: unknown
  readonly store?: Store
  readonly settle?: () => Promise<void>
}

/** The part of the contract of a destination that the laws play with. */
export interface LawDestination<in A> {
  readonly name: string
  readonly store?: Store
  readonly resume: (
    own: unknown,
    taken: { readonly fence: number; readonly tookOver: boolean; readonly restart: boolean },
  ) => Promise<void>
  readonly write: (
    rows: ReadonlyArray<A>,
    slice: { readonly number: number; readonly isLast: boolean },
  ) => Promise<void>
  readonly commit: (why: 'pace' | 'stop') => Promise<LawStep | undefined>
  readonly finish: () => Promise<LawStep>
  readonly close: (why?: 'fenced') => Promise<void>
}

/** One place, which several owners may open. */
export interface LawPlace<A> {
  /** Opens it as a process of its own; `operation` runs what it does to the outside. */
  readonly open: (operation: Operation) => LawDestination<A> | Promise<LawDestination<A>>
  /** Reads the rows that are to be seen there. */
  readonly read: () => Promise<ReadonlyArray<A>>
  /** Gives back whatever owners that were killed hold, such as connections. */
  readonly end?: () => Promise<void>
}

export interface DestinationCheck<A> {
  readonly name: string
  readonly make: () => Promise<LawPlace<A>>
  /** Makes the row of a number, the same each time. */
  readonly rowOf: (n: number) => A
  readonly numberOf: (row: A) => number
  /** True if rows are put in place by id. Default: they are added. */
  readonly isById?: boolean
  /** True if all rows are replaced at the end of a run: each reads its list from the beginning. */
  readonly isReplaced?: boolean
}

// running

interface LawState {
  /** Pages that are kept. */
  readonly pages: number
  readonly own?: unknown
}

const stateOf = ({ state }: Lease): LawState => (state as LawState | undefined) ?? { pages: 0 } // as `keep` makes it

/** A run of a list into a destination, as the engine does it. */
const runInto = async <A>(
  destination: LawDestination<A>,
  pages: ReadonlyArray<ReadonlyArray<A>>,
  isReplaced: boolean,
): Promise<void> => {
  const { store } = destination
  if (store === undefined) throw new Error('a destination without a store resumes nothing')
  const lease = await takeLease({
    ...{ store, name: 'checkpoint', path: destination.name, length: 1_500, timer: quickLooks },
  })
  const keep = async (step: LawStep, count: number): Promise<void> => {
    const { own = stateOf(lease).own } = step
    await lease.commit({ pages: count, ...(own === undefined ? {} : { own }) }, step.store ?? store)
    await step.settle?.()
  }
  try {
    const { fence, tookOver } = lease
    await destination.resume(stateOf(lease).own, { fence, tookOver, restart: false })
    for (let at = isReplaced ? 0 : stateOf(lease).pages; at < pages.length; at++) {
      await destination.write(pages[at] ?? [], { number: 0, isLast: at === pages.length - 1 })
      const step = await destination.commit('pace')
      if (step !== undefined) await keep(step, at + 1)
    }
    await keep(await destination.finish(), pages.length)
    await destination.close()
  } catch (error) {
    const cause = await lease.renew().then(
      () => error,
      (lost: unknown) => lost,
    )
    const isFenced = isExportError(cause) && cause._tag === 'Fenced'
    await destination.close(isFenced ? 'fenced' : undefined)
    throw cause
  } finally {
    await lease.release()
  }
}

/** The same destination, each call of which is an operation. */
const called = <A>(destination: LawDestination<A>, operation: Operation): LawDestination<A> => {
  const { store } = destination
  const step = <S extends LawStep | undefined>(prepared: S): S =>
    prepared && {
      ...prepared,
      ...(prepared.store && { store: operated(prepared.store, operation) }),
      settle: () => operation(async () => prepared.settle?.()),
    }
  return {
    name: destination.name,
    ...(store && { store: operated(store, operation) }),
    resume: (own, taken) => operation(() => destination.resume(own, taken)),
    write: (rows, slice) => operation(() => destination.write(rows, slice)),
    commit: async (why) => step(await operation(() => destination.commit(why))),
    finish: async () => step(await operation(() => destination.finish())),
    close: (why) => operation(() => destination.close(why)),
  }
}

// constructors

/** Makes a kind, whose laws can be checked, of a destination. */
export const kindOf = <A>({
  name,
  make,
  rowOf,
  numberOf,
  isById = false,
  isReplaced = false,
}: DestinationCheck<A>): Kind => ({
  name,
  isById,
  make: async () => {
    const place = await make()
    const lawRow = (row: A): LawRow => ({ id: String(numberOf(row)), n: numberOf(row) })
    return {
      read: async () => (await place.read()).map(lawRow),
      ...(place.end && { end: place.end }),
      run: async (pages, operation): Promise<End> => {
        try {
          const opened = await place.open(operation)
          const rows = pages.map((page) => page.map(({ n }) => rowOf(n)))
          await runInto(called(opened, operation), rows, isReplaced)
          return { isComplete: true }
        } catch (error) {
          const tag = isExportError(error) ? error._tag : 'not expected'
          return { isComplete: false, tag, why: String(error) }
        }
      },
    }
  },
})
