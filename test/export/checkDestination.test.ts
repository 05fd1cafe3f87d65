/** Destinations of one's own have the laws, or are told that they break one. */
import { lastValueFrom } from 'rxjs'
import { expect, it } from 'vitest'
import { checkDestination, type Destination, sync, type Taken } from '../../src/export/index.js'
import { memoryStore } from '../store/memoryStore.js'
import { good, listOf } from './transfer/playing.js'

/** Faults of a destination. */
type Defect = 'shows rows before the state is kept' | 'settles twice' | 'goes on without its own'

/** Rows that grow, of which a reader sees as much as was settled. */
const logOf = (defect?: Defect, told: Array<Taken> = []) => {
  const store = memoryStore()
  const steps = new Map<number, ReadonlyArray<string>>()
  let shown: ReadonlyArray<string> = []
  let last = 0
  const open = (): Destination<string> => {
    let all: ReadonlyArray<string> = []
    let owner = 0
    let nth = 0
    const step = async () => {
      const [name, rows] = [owner * 1_000 + nth++, all]
      steps.set(name, rows)
      if (defect === 'shows rows before the state is kept') shown = rows
      return {
        own: name,
        settle: async () => {
          if (name < last) return // a later owner has shown more
          last = name
          shown = defect === 'settles twice' ? [...shown, ...rows] : rows
        },
      }
    }
    return {
      ...{ name: 'the log', store, commitEvery: 0, check: () => undefined },
      resume: async (own, taken) => {
        told.push(taken)
        owner = taken.fence
        const isKept = own !== undefined && defect !== 'goes on without its own'
        if (isKept) all = steps.get(Number(own)) ?? []
      },
      write: async (rows) => {
        all = [...all, ...rows]
      },
      reject: async () => {},
      commit: step,
      finish: step,
      close: async () => {},
    }
  }
  return { open: async () => open(), read: async () => shown, row: (key: string) => key }
}

it('a destination that keeps the laws passes', async () => {
  await expect(checkDestination(async () => logOf(), { seed: 11 })).resolves.toBeUndefined()
})

it.each<Defect>([
  'shows rows before the state is kept',
  'settles twice',
  'goes on without its own',
])('one that %s is found', async (defect) => {
  const checked = checkDestination(async () => logOf(defect), { seed: 11 })
  await expect(checked).rejects.toThrow(/in place of .*seed 11/)
})

it('is told that each run of a list without times replaces all rows', async () => {
  const told: Array<Taken> = []
  const own = logOf(undefined, told)
  const to: Destination<unknown> = {
    ...(await own.open()),
    ...{ check: () => undefined, write: async () => {} },
  }
  await lastValueFrom(sync(listOf([good(0)]), { to }))
  expect(told).toMatchObject([{ replaces: true, restart: false }])
})
