import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { defaultScheme, receiverDefaults, verifierDefaults } from '../../src/webhooks/index.js'

const docs = readFileSync(new URL('../../docs/webhooks.md', import.meta.url), 'utf8')
const table = docs.split('## How deliveries are signed\n')[1] ?? ''

it('docs/webhooks.md has every default', () => {
  for (const number of Object.values({ ...verifierDefaults, ...receiverDefaults })) {
    expect(table).toContain(` ${number.toLocaleString('en')} `)
  }
  for (const name of Object.keys(defaultScheme)) expect(table).toContain(`\`scheme.${name}\``)
  for (const header of [defaultScheme.timestampHeader, defaultScheme.signatureHeader]) {
    expect(table).toContain(`\`${header}\``)
  }
})

it('docs/webhooks.md has every failure', () => {
  const source = ['webhooks/WebhookFailure.ts', 'codec/UndecodableEvent.ts']
    .map((file) => readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8'))
    .join('')
  const tags = Array.from(source.matchAll(/readonly _tag: '(\w+)'/g), ([, tag]) => tag)
  const rows = Array.from(docs.matchAll(/^\| `([A-Z]\w+)` \|/gm), ([, tag]) => tag)
  expect(rows.sort()).toEqual(tags.sort())
})
