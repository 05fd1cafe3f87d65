/** Numbers that a double does not hold: in files, and in what is put aside, they are those that came. */
import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { CLIENT, type Judge, judge } from '../support/judge.js'
import { webhook } from '../support/judgeLists.js'
import { cli, folder } from './support.js'

const file = await folder()
const servers: Array<Judge> = []
beforeEach(() => mkdir(dirname(file('x')), { recursive: true }).then(() => {}))
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())))

const hook = webhook('wh')

/** A webhook with its secret; `more` is the text of other fields. */
const row = (n: number, more: string): string =>
  JSON.stringify({ ...hook(n), secret: 'whsec_1' }).replace('{', `{${more},`)

/** Exports webhooks whose list is these texts. */
const exported = async (rows: ReadonlyArray<string>, ...args: ReadonlyArray<string>) => {
  const server = await judge({
    fault: ({ route }) =>
      route.endsWith('/v1/webhooks')
        ? { status: 200, body: `{"items":[${rows}],"has_more":false}` }
        : undefined,
  })
  servers.push(server)
  const keys = ['--client-id', CLIENT.clientId, '--api-key', CLIENT.apiKey]
  return cli(['export', 'webhooks', '--base-url', server.url, ...keys, ...args])
}

const BIG = '"order":{"n":90071992547409931,"m":[1.10,-0]}'
const BROKEN = '"id":null,"order":{"n":90071992547409931,"m":[1.10,-0],"secret":"x"},"huge":1e400'

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

it('and so on stderr', async () => {
  const { stderr } = await exported([rowOf(row(1, BROKEN))], '--progress', 'none')
  expect(stderr).toContain('"order":{"n":90071992547409931,"m":[1.10,-0]}')
})

it('rows whose secret was taken out are put aside where they would be rounded', async () => {
  const out = file('w.ndjson')
  const { status } = await exported([row(1, '"a":1'), row(2, BIG)], '--out', out)
  expect(status).toBe(1)
  expect((await readFile(out, 'utf8')).trim().split('\n')).toHaveLength(1)
  const text = await readFile(`${out}.rejects.ndjson`, 'utf8')
  expect(text).toContain('"reason":"order.n should be a number below')
  expect(text).toContain(BIG)
})

it('rows whose secret was taken out have their digits with --exact', async () => {
  const out = file('w.ndjson')
  const { status } = await exported([row(1, '"a":1'), row(2, BIG)], '--out', out, '--exact')
  expect(status).toBe(0)
  expect(await readFile(out, 'utf8')).toContain(BIG)
})
