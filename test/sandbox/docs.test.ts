import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { deliveryFaultNames } from '../../src/sandbox/events/deliveryFaults.js'
import { faultNames } from '../../src/sandbox/faults.js'
import { sandboxCredentials, sandboxDefaults } from '../../src/sandbox/options.js'

const docs = ['sandbox.md', 'reference/sandbox.md']
  .map((page) => readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8'))
  .join('\n')

/** The first cells of the rows of a section's table. */
const names = (section: string): ReadonlyArray<string> =>
  Array.from(
    (docs.split(`## ${section}\n`)[1]?.split('\n## ')[0] ?? '').matchAll(/^\| `([^`]+)`/gm),
    ([, name]) => name ?? '',
  )

it('docs/reference/sandbox.md has every option', () => {
  const options = [...Object.keys(sandboxDefaults), 'limits', 'since', 'until', 'deliver']
  expect([...names('Options')].sort()).toEqual(options.sort())
})

/** A default as docs have it, where they have its value. */
const shown = (value: unknown): string | undefined => {
  if (typeof value === 'string') return /^\d/.test(value) ? value : `\`${value}\``
  if (typeof value === 'number') return value.toLocaleString('en')
  return value instanceof Date ? value.toISOString().replace('.000', '') : undefined
}

it('docs/reference/sandbox.md has every default', () => {
  const { tokenLife, ...others } = sandboxDefaults
  expect(docs).toContain(`| \`tokenLife\`     | ${tokenLife / 60_000} minutes `)
  for (const [name, value] of Object.entries(others)) {
    const text = shown(value)
    if (text !== undefined) expect(docs).toMatch(new RegExp(`\\| \`${name}\` +\\| ${text}[ :]`))
  }
})

it('docs/sandbox.md has the default credentials', () => {
  expect(docs).toContain(
    `The client id is \`${sandboxCredentials.clientId}\`, the API key \`${sandboxCredentials.apiKey}\``,
  )
})

it('docs/reference/sandbox.md has every fault', () => {
  expect(names('Faults')).toEqual([...faultNames])
  expect(names('Faults of deliveries')).toEqual([...deliveryFaultNames])
})
