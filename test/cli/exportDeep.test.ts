/** Rows that are nested deeply: up to 500 levels they stay as they came, and no secret is left at any level. */
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CLIENT, PARTNER, type Seen } from '../support/judge.js'
import { webhook } from '../support/judgeLists.js'
import { sample } from '../support/runs.js'
import { spellings } from '../support/secrets.js'
import { exporting, KEYS, runOf } from './exporting.js'
import { cli, type Run } from './support.js'

const { file, serve } = await exporting()

const SHALLOW = sample(1, [60, 500])
const DEEP = sample(1, [502, 600, 20_000])
const LEVELS = [...SHALLOW, ...DEEP]

const WEBHOOK_SECRET = 'whsec_/Zx4+Jq7"L0='

/** The contents of the last level, beside a secret that no file may hold. */
const LEAF = '"n":1.50,"huge":90071992547409931,"kept":"yes"'

/** JSON of so many levels of objects and lists around another; each object begins with `first`. */
const around = (levels: number, inner: string, first = ''): string =>
  `${`{${first}"in":[`.repeat(levels / 2)}${inner}${']}'.repeat(levels / 2)}`

const SECRET = `"secret":${JSON.stringify(WEBHOOK_SECRET)},`

const hook = webhook('wh')

/** A webhook of so many levels, and a secret in every object; `leaf` are fields of the last one. */
const row = (levels: number, leaf: string, id: string | null): string => {
  const more = around(levels - 2, `{${SECRET}${leaf}}`, SECRET)
  return `{${SECRET}"more":${more},${JSON.stringify({ ...hook(1), id }).slice(1)}`
}

/** Its expected remainder. */
const rest = (levels: number, leaf: string): string =>
  `{"more":${around(levels - 2, `{${leaf}}`)},"id":`

type List = readonly [name: string, path: string, options: ReadonlyArray<string>, key: string]

const WEBHOOKS: List = ['webhooks', '/v1/webhooks', KEYS, CLIENT.apiKey]
const PARTNER_KEYS = ['--partner-id', PARTNER.clientId, '--partner-secret', PARTNER.clientSecret]
const LISTS: ReadonlyArray<List> = [
  WEBHOOKS,
  ['partner-webhooks', '/v1/webhooks', PARTNER_KEYS, PARTNER.clientSecret],
  ['charges', '/v1/charges', KEYS, CLIENT.apiKey],
]

/** Exports a list of one row, and tells the token that was sent for it. */
const exported = async (
  [name, path, options]: List,
  rowWith: (token: string) => string,
  ...args: ReadonlyArray<string>
): Promise<Run & { readonly token: string }> => {
  let token = ''
  const fault = ({ route, headers }: Seen) => {
    if (!route.endsWith(path)) return undefined
    token = headers.authorization?.split(' ')[1] ?? ''
    return { status: 200, body: `{"items":[${rowWith(token)}],"has_more":false}` }
  }
  const { url } = await serve({ charges: 0, fault })
  const common = ['--base-url', url, '--progress', 'none', ...options]
  return { ...(await cli(['export', name, ...common, ...args])), token }
}

/** Whatever is in the folder, and was said. */
const left = async ({ stdout, stderr }: Run): Promise<string> => {
  const home = dirname(file('x'))
  const names = await readdir(home)
  const texts = await Promise.all(names.map((name) => readFile(join(home, name), 'utf8')))
  return [...texts, stdout, stderr].join('\n')
}

const expectNone = (secrets: ReadonlyArray<string>, text: string): void => {
  for (const spelling of secrets.flatMap(spellings)) {
    expect(text.includes(spelling) ? `there is ${spelling}` : '').toBe('')
  }
}

describe.each(LISTS)('%s: a row that does not decode', (...list) => {
  const key = JSON.stringify(list[3])
  const leafWith = (token: string) => `"key":${key},"token":"${token}",${LEAF}`
  const shown = `"key":"[secret]","token":"[secret]",${LEAF}`

  it.each(LEVELS)('with %i levels is rejected as it came, or by its first ones', async (levels) => {
    const out = file('w.ndjson')
    const broken = (token: string) => row(levels, leafWith(token), null)
    const onDisk = await exported(list, broken, '--out', out)
    expect(onDisk.status).toBe(1)
    const first = `{"more":${around(48, '{"in":"[...]"}')},"id":null`
    const kept = levels > 500 ? first : rest(levels, shown)
    expect(await readFile(`${out}.rejects.ndjson`, 'utf8')).toContain(kept)
    const said = await exported(list, broken, '--out', '-')
    expect([said.status, said.stderr]).toEqual([1, expect.stringContaining('rejected: ')])
    const secrets = [WEBHOOK_SECRET, list[3], onDisk.token, said.token]
    expectNone(secrets, (await left(onDisk)) + said.stderr)
  })
})

describe.each(LISTS.slice(0, 2))('%s: a row that decodes', (...list) => {
  it.each(SHALLOW)('with %i levels is written as it came, without secrets', async (levels) => {
    const good = () => row(levels, LEAF, 'wh-1')
    const onDisk = await exported(list, good, '--out', file('w.ndjson'), '--exact')
    expect(onDisk.status).toBe(0)
    const text = `${rest(levels, LEAF)}"wh-1"`
    expect(await readFile(file('w.ndjson'), 'utf8')).toContain(text)
    const said = await exported(list, good, '--out', '-', '--exact')
    expect([said.status, said.stdout]).toEqual([0, expect.stringContaining(text)])
    expectNone([WEBHOOK_SECRET], (await left(onDisk)) + said.stdout)
  })

  it.each(DEEP)('with %i levels is put aside', async (levels) => {
    const good = () => row(levels, LEAF, 'wh-1')
    const reason = 'more should be JSON of at most 500 levels without a bigint'
    for (const out of [file('w.ndjson'), file('w.csv'), file('w.parquet')]) {
      const onDisk = await exported(list, good, '--out', out)
      expect(onDisk.status).toBe(1)
      expect(onDisk.stderr).toContain('incomplete: 0 rows')
      expect(await readFile(`${out}.rejects.ndjson`, 'utf8')).toContain(`"reason":"${reason}"`)
      expect(await runOf(`${out}.manifest.json`)).toMatchObject({
        complete: false,
        rows: 0,
        rejects: 1,
        ended: true,
      })
      expectNone([WEBHOOK_SECRET], await left(onDisk))
    }
    const said = await exported(list, good, '--out', '-')
    expect([said.status, said.stderr]).toEqual([1, expect.stringContaining(reason)])
    expectNone([WEBHOOK_SECRET], said.stdout + said.stderr)
  })
})

it('a row that is nested too deeply within its secret only is written', async () => {
  const deep = `"more":{"secret":${around(600, '{}')},`
  const row60 = row(60, LEAF, 'wh-1').replace(`"more":{${SECRET}`, deep)
  const { status } = await exported(WEBHOOKS, () => row60, '--out', file('w.ndjson'), '--exact')
  expect(status).toBe(0)
  expect(await readFile(file('w.ndjson'), 'utf8')).toContain(`${rest(60, LEAF)}"wh-1"`)
})
