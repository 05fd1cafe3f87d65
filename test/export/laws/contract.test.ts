/** Destinations of one's own have the laws, or are told which one they break. */
import { expect, it } from 'vitest'
import { memoryStore } from '../../store/memoryStore.js'
import { kindOf, type LawDestination } from './contract.js'
import { lawsOf } from './laws.js'

/** What a destination may do wrong. */
type Defect = 'shows rows before the state is kept' | 'settles twice' | 'goes on without its own'

/** Texts by name that grow: a file of rows, of which a reader sees as much as was settled. */
const logOf = (defect?: Defect) =>
  kindOf<number>({
    name: 'a log',
    rowOf: (n) => n,
    numberOf: (n) => n,
    make: async () => {
      const store = memoryStore()
      const steps = new Map<number, ReadonlyArray<number>>()
      let shown: ReadonlyArray<number> = []
      return {
        read: async () => shown,
        open: (operation): LawDestination<number> => {
          let all: ReadonlyArray<number> = []
          let owner = 0
          let nth = 0
          const step = async () => {
            const [name, rows] = [owner * 1_000 + nth++, all]
            await operation(async () => steps.set(name, rows))
            if (defect === 'shows rows before the state is kept') shown = rows
            return {
              own: name,
              settle: async () => {
                await operation(async () => {
                  shown = defect === 'settles twice' ? [...shown, ...rows] : rows
                })
              },
            }
          }
          return {
            name: 'the log',
            store,
            resume: async (own, { fence }) => {
              owner = fence
              const isKept = own !== undefined && defect !== 'goes on without its own'
              if (isKept) all = await operation(async () => steps.get(Number(own)) ?? [])
            },
            write: async (rows) => {
              all = [...all, ...rows]
            },
            commit: step,
            finish: step,
            close: async () => {},
          }
        },
      }
    },
  })

const brokenBy = async (defect?: Defect): Promise<ReadonlyArray<string>> => {
  const broken: Array<string> = []
  const kind = logOf(defect)
  for (const { check } of lawsOf(kind)) {
    await check(kind, { seed: 11, games: 20 }).catch((error: unknown) => {
      broken.push(/breaks the law of (\w+)/.exec(String(error))?.[1] ?? String(error))
    })
  }
  return broken
}

it('has them', async () => {
  expect(await brokenBy()).toEqual([])
})

it.each<readonly [Defect, string]>([
  ['shows rows before the state is kept', 'fence'],
  ['settles twice', 'replay'],
  ['goes on without its own', 'resume'],
])('breaks one where it %s', async (defect, law) => {
  expect((await brokenBy(defect)).join(' ')).toContain(law)
})
