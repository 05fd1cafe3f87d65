import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { faultNames, sandboxDefaults } from '../../src/sandbox/index.js'

const docs = readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8')

/** The first cells of the rows of a section's table. */
const names = (section: string): ReadonlyArray<string> =>
  Array.from(
    (docs.split(`## ${section}\n`)[1]?.split('\n## ')[0] ?? '').matchAll(/^\| `([^`]+)`/gm),
    ([, name]) => name ?? '',
  )

it('docs/sandbox.md has every option', () => {
  const options = [...Object.keys(sandboxDefaults), 'limits', 'timer']
  expect([...names('Options')].sort()).toEqual(options.sort())
})

it('docs/sandbox.md has every fault', () => {
  expect(names('Faults')).toEqual([...faultNames])
})
