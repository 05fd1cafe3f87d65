/** Files read back by tools that nobody here wrote: what is in them is what the sandbox says of itself. */
import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { raw } from 'jq-wasm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Listening, listen, sandboxCredentials } from '../../src/sandbox/index.js'
import { duckdb } from '../export/reading.js'
import { cli, folder } from './support.js'

/** Three pages; jq is slow here, and reads one of its own. */
const CHARGES = 4_500
const FEW = 60

const file = await folder()
let sandbox: Listening
let small: Listening
beforeAll(async () => {
  sandbox = await listen({ charges: CHARGES, limits: false })
  small = await listen({ charges: FEW, limits: false })
})
afterAll(() => Promise.all([sandbox.close(), small.close()]))

/** By currency: how many, and how much, in ten-thousandths. */
type Sums = Readonly<Record<string, { readonly count: number; readonly sum: bigint }>>

/** A decimal text in ten-thousandths, without a double in between. */
const exactly = (text: string): bigint => {
  const [, sign, whole = '', part = ''] = /^(-?)(\d+)(?:\.(\d{1,4}))?$/.exec(text) ?? []
  if (sign === undefined) throw new Error(`no amount: ${text}`)
  return BigInt(`${sign}${whole}${part.padEnd(4, '0')}`)
}

const summed = (pairs: ReadonlyArray<readonly [string, string]>): Sums => {
  const sums: Record<string, { count: number; sum: bigint }> = {}
  for (const [currency, amount] of pairs) {
    const { count, sum } = sums[currency] ?? { count: 0, sum: 0n }
    sums[currency] = { count: count + 1, sum: sum + exactly(amount) }
  }
  return sums
}

/** Read off the letters of its answers. */
const ofSandbox = async ({ url }: Listening, charges: number): Promise<Sums> => {
  const { clientId, apiKey } = sandboxCredentials
  const login = await fetch(`${url}/api/v1/authentication/login`, {
    method: 'POST',
    headers: { 'x-client-id': clientId, 'x-api-key': apiKey },
  })
  const { token } = JSON.parse(await login.text())
  const pairs: Array<readonly [string, string]> = []
  for (const page of [0, 1, 2]) {
    const answer = await fetch(`${url}/api/v1/charges?page_size=2000&page_num=${page}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const text = await answer.text()
    for (const [, amount = '', currency = ''] of text.matchAll(
      /"amount":(-?[\d.]+),"currency":"([A-Z]{3})"/g,
    )) {
      pairs.push([currency, amount])
    }
  }
  expect(pairs).toHaveLength(charges)
  return summed(pairs)
}

const exported = async ({ url }: Listening, name: string): Promise<string> => {
  await mkdir(dirname(file(name)), { recursive: true })
  const { clientId, apiKey } = sandboxCredentials
  const { status, stderr } = await cli([
    ...['export', 'charges', '--base-url', url, '--out', file(name), '--quiet'],
    ...['--client-id', clientId, '--api-key', apiKey],
  ])
  expect([status, stderr]).toEqual([0, ''])
  return file(name)
}

describe('counts and exact sums by currency', () => {
  it.each([
    ['charges.csv', (path: string) => `read_csv('${path}', all_varchar = true)`],
    ['charges.csv.gz', (path: string) => `read_csv('${path}', all_varchar = true)`],
    ['charges.csv.zst', (path: string) => `read_csv('${path}', all_varchar = true)`],
    ['charges.parquet', (path: string) => `read_parquet('${path}')`],
  ])('in %s are those of the sandbox, by DuckDB', async (name, table) => {
    const path = await exported(sandbox, name)
    const sql = await duckdb()
    const found = await sql(
      `select currency, count(distinct id)::integer as count, sum(amount::decimal(18, 4))::varchar as sum
       from ${table(path)} group by currency`,
    )
    const sums: Sums = Object.fromEntries(
      found.map(({ currency, count, sum }) => [
        String(currency),
        { count: Number(count), sum: exactly(String(sum)) },
      ]),
    )
    expect(sums).toEqual(await ofSandbox(sandbox, CHARGES))
  })

  it('in charges.ndjson are those of the sandbox, by jq', async () => {
    const expected = await ofSandbox(small, FEW) // before jq, which lets nothing else run: connections time out
    const text = await readFile(await exported(small, 'charges.ndjson'), 'utf8')
    const lines = await raw(text, '[.currency, (.amount | tostring)] | @tsv', ['-r'])
    expect(
      summed(
        lines
          .trim()
          .split('\n')
          .map((line) => {
            const [currency = '', amount = ''] = line.split('\t')
            return [currency, amount] as const
          }),
      ),
    ).toEqual(expected)
    expect(JSON.parse(await raw(text, '[.[].id] | unique | length', ['-s']))).toBe(FEW)
  })
})
