/** Destinations of a stranger's, of different designs, and mistakes that can be made in them. */
import type {
  CheckedDestination,
  CheckedRow,
  Destination,
  Store,
} from '../../../src/export/index.js'
import { memoryStore } from '../../store/memoryStore.js'

type Rows = ReadonlyArray<CheckedRow>
type Make = () => Promise<CheckedDestination<CheckedRow>>

const common = {
  commitEvery: 0,
  check: () => undefined,
  reject: async () => {},
  close: async () => {},
}
const row = (key: string, version: number): CheckedRow => ({ key, version })

/** Rows and state in one transaction, all in memory. */
export const inMemory =
  (mistake?: 'changes rows outside the transaction'): Make =>
  async () => {
    const store = memoryStore()
    let [rows, others] = [new Map<string, number>(), ['of another program']]
    const open = async (): Promise<Destination<CheckedRow>> => {
      let [waiting, replaces]: [Rows, boolean] = [[], false]
      const step = (isEnd: boolean) => async () => {
        if (replaces && !isEnd) return {}
        const given = waiting
        waiting = []
        const write = () => {
          rows = new Map([
            ...(replaces ? [] : rows),
            ...given.map((r) => [r.key, r.version] as const),
          ])
        }
        const replace: Store['replace'] = async (...text) => {
          if (mistake === 'changes rows outside the transaction') write()
          const version = await store.replace(...text)
          if (version !== undefined) write()
          return version
        }
        return { store: { ...store, replace } }
      }
      return {
        ...{ ...common, name: 'memory', rows: 'byId', store },
        resume: async (_, taken) => {
          replaces = taken.replaces
        },
        write: async (page) => {
          waiting = [...waiting, ...page]
        },
        ...{ commit: step(false), finish: step(true) },
      }
    }
    const read = async () => [...rows].map(([key, version]) => ({ key, version }))
    const planted = async () => others.length === 1
    return { open, read, row, planted, plant: async () => (others = ['of another program']) }
  }

/** Objects that are hidden until a marker names them; each row is added. */
export const objects: Make = async () => {
  const store = memoryStore()
  const bucket = new Map<string, string>()
  const open: CheckedDestination<CheckedRow>['open'] = async (operation) => {
    const put = (name: string, text: string) => operation(async () => bucket.set(name, text))
    const show = async (own: unknown) => own && (await put(`shown/${own}`, ''))
    let waiting: Rows = []
    const step = async () => {
      if (waiting.length === 0) return {}
      const own = crypto.randomUUID()
      await put(`rows/${own}`, JSON.stringify(waiting))
      waiting = []
      return { own, settle: async () => void (await show(own)) }
    }
    return {
      ...{ ...common, name: 'objects', rows: 'appended', store, commit: step, finish: step },
      resume: async (own) => void (await show(own)),
      write: async (page) => {
        waiting = [...waiting, ...page]
      },
    }
  }
  const shown = () => [...bucket.keys()].filter((name) => name.startsWith('shown/'))
  const read = async () =>
    shown().flatMap((name): Rows => JSON.parse(bucket.get(name.replace('shown', 'rows')) ?? '[]'))
  const plant = async () => bucket.set('rows/notes', 'of another program')
  return { open, read, row, plant, planted: async () => bucket.has('rows/notes') }
}

/** Mistakes that can be made in a log, and the law that each breaks. */
export const MISTAKES = {
  'shows a batch each time that it is told to': 'resume|replay|fence',
  'shows rows before the state is kept': 'step',
  'names batches by a counter': 'step|resume|fence',
  'does not show on resume what was kept': 'resume',
  'writes through': 'step',
  'forgets a row of each step': 'step',
  'ignores that rows are replaced': 'replaces',
  'has a state that grows with the rows': 'bounds',
  'has a state that grows with the steps': 'bounds',
  'has a state that grows with the nights': 'bounds',
  'removes what it does not know': 'own names',
  'adds a row that it has': 'by id',
  'keeps the first version of a row': 'by id',
  'removes the earlier rows with the first step': 'replaces',
  'keeps rows of a run that did not come to its end': 'replaces|resume',
  'leaves all rows where the list is empty': 'replaces',
  'forgets rows where a commit is not worth it': 'step',
  'finishes once in a run': 'by id|replaces',
  'has a store without versions': 'store',
  'drops on resume what earlier owners have shown': 'resume|by id',
  'removes the last batch when it is shut out': 'fence',
  'commits nothing when it is stopped': 'resume',
} as const

export type Mistake = keyof typeof MISTAKES

interface Batch {
  readonly clears: boolean
  readonly rows: Rows
}

interface Own {
  readonly batch?: string
  readonly more?: ReadonlyArray<unknown>
}

/** A log of batches that are hidden until they are shown, in order; a tombstone removes all rows before it. */
export const log =
  (mistake?: Mistake): Make =>
  async () => {
    const has = (one: Mistake): boolean => one === mistake
    const kept = memoryStore()
    const store: Store = has('has a store without versions')
      ? {
          ...kept,
          replace: async (name, text) => kept.replace(name, text, (await kept.read(name))?.version),
        }
      : kept
    const hidden = new Map<string, Batch>()
    let shown: ReadonlyArray<string> = []
    let gathered: Rows = []
    const show = ({ batch }: Own): void => {
      if (batch === undefined) return
      if (!shown.includes(batch) || has('shows a batch each time that it is told to')) {
        shown = [...shown, batch]
      }
    }
    const open = async (): Promise<Destination<CheckedRow>> => {
      let own: Own = {}
      let [waiting, replaces, count, clears]: [Rows, boolean, number, boolean] = [
        [],
        false,
        0,
        false,
      ]
      let isDone = false
      const step = async (isEnd: boolean) => {
        if (replaces && !isEnd && !clears) return undefined
        if (has('forgets rows where a commit is not worth it') && !isEnd && ++count % 3 === 0) {
          waiting = []
          return undefined
        }
        const isEmpty = waiting.length === 0
        if (isEmpty && !(replaces && isEnd)) return { own }
        if (isEmpty && has('leaves all rows where the list is empty')) return { own }
        if (isEnd && isDone && has('finishes once in a run')) return { own }
        isDone ||= isEnd
        const batch = has('names batches by a counter') ? `${++count}` : crypto.randomUUID()
        const rows = has('forgets a row of each step') ? waiting.slice(1) : waiting
        hidden.set(batch, { rows, clears: replaces && (!clears || count++ === 0) })
        waiting = gathered = []
        const more = [
          ...(has('has a state that grows with the rows') ? [...(own.more ?? []), ...rows] : []),
          ...(has('has a state that grows with the steps') ? [...(own.more ?? []), batch] : []),
          ...(has('has a state that grows with the nights')
            ? [...(own.more ?? []), ...(isEnd ? [batch] : [])]
            : []),
        ]
        const next: Own = more.length === 0 ? { batch } : { batch, more }
        if (has('shows rows before the state is kept')) show(next)
        return {
          own: next,
          settle: async () => {
            show(next)
            own = next
            for (const name of hidden.keys()) {
              if (has('removes what it does not know') && !shown.includes(name)) hidden.delete(name)
            }
          },
        }
      }
      return {
        ...{ ...common, name: 'a log', rows: 'byId', store },
        resume: async (found, taken) => {
          own = (found ?? {}) as Own
          replaces = taken.replaces && !has('ignores that rows are replaced')
          clears = replaces && has('removes the earlier rows with the first step')
          if (has('keeps rows of a run that did not come to its end')) waiting = gathered
          if (has('drops on resume what earlier owners have shown')) shown = []
          if (!has('does not show on resume what was kept')) show(own)
        },
        write: async (page) => {
          waiting = gathered = [...waiting, ...page]
          if (!has('writes through')) return
          hidden.set(`through-${++count}`, { rows: page, clears: false })
          shown = [...shown, `through-${count}`]
        },
        commit: async (why) =>
          why === 'stop' && has('commits nothing when it is stopped') ? undefined : step(false),
        reject: common.reject,
        finish: async () => (await step(true)) ?? {},
        close: async (why) => {
          if (why === 'fenced' && has('removes the last batch when it is shut out')) {
            shown = shown.slice(0, -1)
          }
        },
        ...{ commitEvery: 0, check: common.check },
      }
    }
    const read = async () => {
      let rows: Rows = []
      for (const name of shown) {
        const batch = hidden.get(name)
        if (batch?.clears) rows = []
        for (const one of batch?.rows ?? []) {
          const isThere = rows.some(({ key }) => key === one.key)
          if (isThere && has('keeps the first version of a row')) continue
          const others = has('adds a row that it has')
            ? rows
            : rows.filter(({ key }) => key !== one.key)
          rows = [...others, one]
        }
      }
      return rows
    }
    const plant = async () => hidden.set('of another program', { rows: [], clears: false })
    return { open, read, row, plant, planted: async () => hidden.has('of another program') }
  }
