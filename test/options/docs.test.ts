/** Options in the docs and in hovers, compared with their tables. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clientTable } from '../../src/client/ClientOptions.js'
import { defaultsOf, type OptionRule } from '../../src/options/index.js'
import { receiverTable } from '../../src/webhooks/createReceiver.js'
import { signTable } from '../../src/webhooks/sign.js'
import { verifierTable } from '../../src/webhooks/VerifierOptions.js'
import { type Declarations, declarations } from '../support/declarations.js'

interface Documented {
  readonly table: Readonly<Record<string, OptionRule>>
  /** The interface that follows from the table, and the entry of the package that exports it. */
  readonly type: string
  readonly entry: string
  /** The page, and the section of it, that has all of the options. */
  readonly page: string
  readonly section: string
}

const client = { entry: '.', page: 'reference/client.md', section: 'Options' }

const webhooks = { entry: './webhooks', page: 'reference/webhooks.md', section: 'Signatures' }

const documented: ReadonlyArray<Documented> = [
  { ...client, type: 'ClientOptions', table: clientTable },
  { ...webhooks, type: 'VerifierOptions', table: verifierTable },
  { ...webhooks, type: 'ReceiverOptions', table: receiverTable },
  { ...webhooks, type: 'SignOptions', table: signTable },
]

/** How a default may be written; none where it is an object or a function. */
const spellings = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === 'number') {
    const millis = value % 60_000 === 0 ? [`${value / 60_000} minutes`] : []
    const bytes = value % 2 ** 20 === 0 ? [`${value / 2 ** 20} MiB`] : []
    return [value.toLocaleString('en'), ...millis, ...bytes]
  }
  return typeof value === 'string' || typeof value === 'boolean' ? [String(value)] : []
}

const says = (text: string, value: unknown): boolean => {
  const all = spellings(value)
  return all.length === 0 || all.some((one) => text.includes(one))
}

const defaults = ({ table }: Documented): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(defaultsOf(table))

let emitted: Declarations | undefined

beforeAll(async () => {
  emitted = await declarations()
})

afterAll(() => emitted?.close())

describe.each(documented)('$type', (one) => {
  it('accepts its own defaults', () => {
    for (const [name, value] of defaults(one)) {
      expect([name, one.table[name]?.accepts(value)]).toEqual([name, true])
    }
  })

  it('has a doc comment for each option, which says the default', async () => {
    const names = (await emitted?.names(one.entry)) ?? []
    const fields = (await names.find(({ name }) => name === one.type)?.fields()) ?? []
    const comments = new Map(fields.map(({ name, comment }) => [name, comment]))
    expect([...comments.keys()].sort()).toEqual(Object.keys(one.table).sort())
    for (const [name, value] of defaults(one)) {
      const comment = comments.get(name) ?? ''
      expect([name, comment.includes('Default'), says(comment, value)]).toEqual([name, true, true])
    }
  })

  it(`stands in docs/${one.page} with all options and their defaults`, () => {
    const page = readFileSync(new URL(`../../docs/${one.page}`, import.meta.url), 'utf8')
    const section = page.split(`\n## ${one.section}\n`)[1]?.split('\n## ')[0] ?? ''
    for (const name of Object.keys(one.table)) {
      expect([name, new RegExp(`\`${name}[\`.]`).test(section)]).toEqual([name, true])
    }
    for (const [name, value] of defaults(one)) {
      const row = section.split('\n').find((line) => line.includes(`\`${name}\``)) ?? ''
      expect([name, says(row, value)]).toEqual([name, true])
    }
  })
})
