/** The laws find what is wrong: a table in memory passes them, and one with a defect breaks the law that names it. */
import { expect, it } from 'vitest'
import { type End, type Kind, type LawRow, lawsOf } from './laws.js'

const DEFECTS = {
  'commits without a look at its owner': 'fence',
  'keeps rows and position one after the other': 'step|resume|readers|fence|replay',
  'forgets its position': 'resume',
  'ends with another error when it was shut out': 'fence',
  'shows a row twice while it writes': 'readers',
  'counts rows that it has not written': 'step',
} as const

type Defect = keyof typeof DEFECTS

/** A table with a fence: each owner has a larger number than the one before. */
const tableWith = (defect?: Defect): Kind => ({
  name: 'a table in memory',
  isById: false,
  make: async () => {
    let rows: ReadonlyArray<LawRow> = []
    let [fence, position] = [0, 0]
    const has = (one: Defect): boolean => one === defect
    return {
      read: async () => rows,
      run: async (pages, operation): Promise<End> => {
        const own = await operation(async () => {
          fence++
          return { fence, position: has('forgets its position') ? 0 : position }
        })
        for (let at = own.position; at < pages.length; at++) {
          const page = pages[at] ?? []
          const isOwner = (): boolean =>
            fence === own.fence || has('commits without a look at its owner')
          if (has('shows a row twice while it writes')) {
            await operation(async () => {
              if (isOwner()) rows = [...rows, ...page, ...page]
            })
            rows = rows.slice(0, rows.length - 2 * page.length)
          }
          const isKept = await operation(async () => {
            if (!isOwner()) return false
            rows = [...rows, ...page]
            if (!has('keeps rows and position one after the other')) position = at + 1
            return true
          })
          if (isKept && has('keeps rows and position one after the other')) {
            await operation(async () => {
              position = at + 1
            })
          }
          if (isKept) continue
          const tag = has('ends with another error when it was shut out') ? 'ENOENT' : 'Fenced'
          return { isComplete: false, tag, why: 'a later owner' }
        }
        const more = has('counts rows that it has not written') ? 1 : 0
        return { isComplete: true, rows: rows.length + more }
      },
    }
  },
})

/** The names of the laws that it breaks. */
const brokenBy = async (kind: Kind): Promise<ReadonlyArray<string>> => {
  const broken: Array<string> = []
  for (const { check } of lawsOf(kind)) {
    await check(kind, { seed: 7, games: 60 }).catch((error: unknown) => {
      broken.push(/breaks the law of (\w+)/.exec(String(error))?.[1] ?? String(error))
    })
  }
  return broken
}

it('a table in memory keeps them', async () => {
  expect(await brokenBy(tableWith())).toEqual([])
})

it.each(Object.entries(DEFECTS))('one that %s breaks the law of %s', async (defect, law) => {
  const broken = await brokenBy(tableWith(defect as Defect)) // a key of DEFECTS
  expect(broken.join(' ')).toMatch(new RegExp(law))
})
