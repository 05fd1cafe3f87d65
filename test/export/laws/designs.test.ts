/** Right destinations of a stranger's pass; each mistake is found, with the law that it breaks. */
import { describe, expect, it } from 'vitest'
import { checkDestination } from '../../../src/export/index.js'
import { SEED } from '../../support/runs.js'
import { inMemory, log, MISTAKES, type Mistake, objects } from './designs.js'

describe.each([
  ['rows in memory, in one transaction with the state', inMemory()],
  ['objects', objects],
  ['a log with tombstones', log()],
])('%s', (_, make) => {
  it('has the laws', () => checkDestination(make, { seed: SEED, games: 10 }))
})

describe('a destination that', () => {
  it.each(Object.entries(MISTAKES))('%s breaks the law of %s', async (mistake, law) => {
    const checked = checkDestination(log(mistake as Mistake), { seed: SEED }) // a key of MISTAKES
    const found = new RegExp(
      `^a log breaks the law "(${law})": .*(undisturbed|killed|frozen|stopped|replace).*\\(seed ${SEED}\\)$`,
    )
    await expect(checked).rejects.toThrow(found)
  })

  it('changes rows outside the transaction breaks the law of its steps', async () => {
    const checked = checkDestination(inMemory('changes rows outside the transaction'), {
      seed: SEED,
    })
    await expect(checked).rejects.toThrow(/^memory breaks the law "(fence|resume)"/)
  })
})
