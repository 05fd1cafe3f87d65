import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { defaultScheme } from '../../src/webhooks/Scheme.js'

const pageOf = (name: string): string =>
  readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8')

const docs = pageOf('webhooks.md')

it('docs/reference/webhooks.md has the default scheme', () => {
  const table = pageOf('reference/webhooks.md').split('## Signatures\n')[1] ?? ''
  for (const name of Object.keys(defaultScheme)) expect(table).toContain(`\`scheme.${name}\``)
  for (const header of [defaultScheme.timestampHeader, defaultScheme.signatureHeader]) {
    expect(table).toContain(`\`${header}\``)
  }
})

it('docs/webhooks.md has every failure', () => {
  const file = new URL('../../src/webhooks/WebhookFailure.ts', import.meta.url)
  const own = readFileSync(file, 'utf8').matchAll(/readonly _tag: '(\w+)'/g)
  const tags = ['Undecodable', ...Array.from(own, ([, tag]) => tag)]
  const rows = Array.from(docs.matchAll(/^\| `([A-Z]\w+)` \|/gm), ([, tag]) => tag)
  expect(rows.sort()).toEqual(tags.sort())
})
