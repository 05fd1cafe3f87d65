/** Numbers that a double does not hold: in files, and in what is put aside, they are those that came. */
import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { webhook } from '../support/judgeLists.js'
import { CHARGE } from '../support/lab.js'
import { exporting, KEYS } from './exporting.js'
import { cli } from './support.js'

const { file, serve } = await exporting()

const hook = webhook('wh')

/** A webhook with its secret; `more` is the text of other fields. */
const row = (n: number, more: string): string =>
  JSON.stringify({ ...hook(n), secret: 'whsec_1' }).replace('{', `{${more},`)

/** Exports a list whose pages have these texts. */
const exportedFrom = async (
  list: string,
  page: (query: URLSearchParams) => string,
  ...args: ReadonlyArray<string>
) => {
  const server = await serve({
    fault: ({ route, url }) =>
      route.endsWith(`/v1/${list}`) ? { status: 200, body: page(url.searchParams) } : undefined,
  })
  return cli(['export', list, '--base-url', server.url, ...KEYS, ...args])
}

/** Exports webhooks whose list is these texts. */
const exported = (rows: ReadonlyArray<string>, ...args: ReadonlyArray<string>) =>
  exportedFrom('webhooks', () => `{"items":[${rows}],"has_more":false}`, ...args)

const BIG = '"order":{"n":90071992547409931,"m":[1.10,-0]}'
const BROKEN = '"id":null,"order":{"n":90071992547409931,"m":[1.10,-0],"secret":"x"},"huge":1e400'

/** Tests if the charges, all of one second, are in the range that is asked for. */
const isInRange = (query: URLSearchParams): boolean => {
  const [from = '', to = ''] = ['from', 'to'].map((edge) => query.get(`${edge}_created_at`) ?? '')
  return from <= CHARGE.created_at && CHARGE.created_at <= to
}

const rowOf = (broken: string): string => broken.replace(/(,"id":)"[^"]*"/, '$1null')

it.each([[], ['--exact']])('rejected rows have their digits: %s', async (...more) => {
  const out = file('w.csv')
  const { status } = await exported([row(1, '"a":1'), rowOf(row(2, BROKEN))], '--out', out, ...more)
  expect(status).toBe(1)
  const text = await readFile(`${out}.rejects.ndjson`, 'utf8')
  expect(text).toContain('"order":{"n":90071992547409931,"m":[1.10,-0]}')
  expect(text).toContain('"huge":1e400')
  expect(text).not.toContain('secret')
})

it.each([
  ['are not rounded', [], '"order":{"n":90071992547409931,"m":[1.1,0]}'],
  ['have their digits with --exact', ['--exact'], BIG],
])('rows whose secret was taken out %s', async (_, more, expected) => {
  const out = file('w.ndjson')
  const { status } = await exported([row(1, '"a":1'), row(2, BIG)], '--out', out, ...more)
  expect(status).toBe(0)
  expect(await readFile(out, 'utf8')).toContain(expected)
})

it('rows of a second with more rows than a page are those that came, too', async () => {
  const rows = Array.from({ length: 24 }, (_, n) =>
    JSON.stringify({ ...CHARGE, id: `chg_${n}` }).replace('{', `{${BIG},`),
  )
  const broken = rowOf(rows[7] ?? '')
  const size = 10
  const page = (query: URLSearchParams): string => {
    const found = isInRange(query) ? rows.with(7, broken) : []
    const at = Number(query.get('page_num')) * size
    return `{"items":[${found.slice(at, at + size)}],"has_more":${at + size < found.length}}`
  }
  const out = file('c.ndjson')
  const words = ['--to', '2025-01-01', '--page-size', `${size}`, '--out', out]
  const { status } = await exportedFrom('charges', page, ...words)
  expect(status).toBe(1)
  expect(await readFile(out, 'utf8')).toBe(`${rows.toSpliced(7, 1).join('\n')}\n`)
  expect(await readFile(`${out}.rejects.ndjson`, 'utf8')).toContain(`{${BIG},"id":null`)
})

it.each([
  ['keep', "a spreadsheet would run 2 texts as formulas; use --formulas mask to put ' before them"],
  ['mask', 'formulas: masked 2 texts'],
])('texts that other programs misread are reported: --formulas %s', async (formulas, said) => {
  const references = ['=1+1', '+1', 'cut \\ud83d', 'fine']
  const items = references.map((reference, i) =>
    JSON.stringify({ ...CHARGE, id: `chg_${i}`, reference: 'R' }).replace('"R"', `"${reference}"`),
  )
  const page = (query: URLSearchParams): string =>
    `{"items":[${isInRange(query) ? items : []}],"has_more":false}`
  const out = ['--to', '2025-01-01', '--out', file(`${formulas}.csv`)]
  const more = ['--formulas', formulas, '--progress', 'none']
  const { status, stderr } = await exportedFrom('charges', page, ...out, ...more)
  expect(status).toBe(0)
  expect(stderr).toContain(said)
  expect(stderr).toContain('wrote 1 unpaired surrogate as U+FFFD')
})
