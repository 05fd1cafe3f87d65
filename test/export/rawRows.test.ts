/** Rows that are written as the service wrote them, letter by letter, where they are rows as they came. */
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { lastValueFrom } from 'rxjs'
import { describe, expect, it } from 'vitest'
import {
  type ExportOptions,
  type ExportSource,
  exportTo,
  type Reject,
} from '../../src/export/index.js'
import { E } from '../../src/fp.js'
import { type Charge, createClient, type Failure } from '../../src/index.js'
import { CHARGE, ME } from '../support/lab.js'
import { memory } from './transfer/memory.js'

const json = (id: string, amount: string): string =>
  JSON.stringify({ ...CHARGE, id, amount: 0, later: '\u00e9' })
    .replace('"amount":0', `"amount":${amount}`)
    .replace('\u00e9', '\\u00e9')

const [first, second, third] = [json('chg_1', '9.50'), json('chg_2', '1e2'), json('chg_3', '0.10')]
const broken = json('chg_4', '"much"')

/** The rows of a page as they decoded, and as they came. */
interface Rows {
  readonly items: ReadonlyArray<E.Either<Failure, Charge>>
  readonly raw: ReadonlyArray<unknown>
}

interface Play extends Omit<ExportOptions<Charge>, 'out'> {
  readonly change?: (page: Rows) => Rows
  /** Text between two rows. */
  readonly between?: string
}

/** The list of a service that answers with these rows. */
const listOf = (
  rows: ReadonlyArray<string>,
  { change = (page) => page, between = ',' }: Play = {},
): ExportSource<Charge> => {
  const token = JSON.stringify({ token: 'token', expires_at: '2099-01-01T00:00:00+0000' })
  const { charges } = createClient({
    baseUrl: 'https://platform.test',
    credentials: ME,
    fetch: async (input) =>
      String(input).endsWith('/login')
        ? new Response(token, { status: 201 })
        : new Response(`{"has_more":false,"items":[${rows.join(between)}]}`),
  })
  const list = charges.list()
  const drain: typeof list.drain = (project, options) =>
    list.drain(
      (page) => project(E.isLeft(page) ? page : E.right({ ...page.right, ...change(page.right) })),
      options,
    )
  return { ...list, drain, from: list.from, describe: list.describe }
}

const exported = async (
  rows: ReadonlyArray<string>,
  { change, between, ...options }: Play = {},
): Promise<{ readonly told: string; readonly rejected: ReadonlyArray<Reject> }> => {
  const out = new PassThrough()
  const told = text(out)
  const rejected: Array<Reject> = []
  const onReject = async (page: ReadonlyArray<Reject>) => void rejected.push(...page)
  const list = listOf(rows, { ...(change && { change }), ...(between && { between }) })
  const last = await lastValueFrom(exportTo(list, { out, onReject, ...options }))
  if (E.isLeft(last)) throw last.left
  return { told: await told, rejected }
}

const written = async (rows: ReadonlyArray<string>, play: Play = {}): Promise<string> =>
  (await exported(rows, play)).told

describe('rows in NDJSON and JSON', () => {
  it('have the digits, the order and the escapes that they came with', async () => {
    expect(await written([first, second])).toBe(`${first}\n${second}\n`)
    expect(await written([first, second], { format: 'json' })).toBe(`[\n${first},\n${second}\n]\n`)
  })

  it('are those that came in a folder, too, however its parts are cut', async () => {
    const big = json('chg_5', '1').replace('{', '{"order":90071992547409931,')
    const rows = [first, big, second, broken, third]
    for (const rotateRows of [1, 2, 3, 10]) {
      const files = memory()
      const last = await lastValueFrom(exportTo(listOf(rows), { out: '/all/', files, rotateRows }))
      const parts = E.isRight(last) ? (last.right.run?.files ?? []) : []
      const told = parts.map(({ path }) => files.text(`/all/${path}`)).join('')
      expect(told).toBe(`${first}\n${big}\n${second}\n${third}\n`)
    }
  })

  it.each(['600000000000', '1234567890123', '99999999999999.0001', '1e15'])(
    'have amounts of any size, whatever the format: %s',
    async (amount) => {
      const large = json('chg_9', amount)
      expect(await written([large])).toBe(`${large}\n`)
      expect(await written([large], { format: 'json' })).toBe(`[\n${large}\n]\n`)
      const columns = ['id', 'amount']
      expect(await written([large], { columns })).toBe(`{"id":"chg_9","amount":${amount}}\n`)
      expect(await written([first, large], { columns, format: 'csv' })).toBe(
        `id,amount\r\nchg_1,9.5\r\nchg_9,${amount}\r\n`,
      )
    },
  )

  it('are told apart from those that are rejected, or came before', async () => {
    expect(await written([first, broken, second, first, third])).toBe(
      `${first}\n${second}\n${third}\n`,
    )
  })

  it('are written anew when somebody has changed them', async () => {
    const change = (page: Rows): Rows => ({
      ...page,
      items: page.items.map(E.map((row) => ({ ...row, reference: 'changed' }))),
    })
    const rows = (await written([first, second], { change })).trim().split('\n')
    expect(rows.map((row) => JSON.parse(row))).toMatchObject([
      { amount: 9.5, reference: 'changed' },
      { amount: 100, reference: 'changed' },
    ])
  })

  it('are written anew when some of their fields are wanted', async () => {
    expect(await written([first], { columns: ['id', 'amount'] })).toBe(
      '{"id":"chg_1","amount":9.5}\n',
    )
  })

  it('are those that came, however the answer is laid out, and whatever stands in a text', async () => {
    const odd = json('chg_5', '1').replace(
      '"reference":"',
      '"reference":"[{\\"a\\":1},{\\"b\\":2}] ',
    )
    const big = json('chg_6', '1').replace('{', '{"order":90071992547409931,')
    for (const between of [',', ', ', '\n,\n']) {
      expect(await written([odd, big, first], { between })).toBe(`${odd}\n${big}\n${first}\n`)
    }
  })

  it.each(['ndjson', 'json'] as const)('keep digits in %s without their text', async (format) => {
    const big = json('chg_6', '1').replace('{', '{"metadata":{"orders":[1,90071992547409931]},')
    const changes: ReadonlyArray<(page: Rows) => Rows> = [
      (page) => ({ ...page, raw: [...page.raw] }),
      (page) => ({
        ...page,
        items: page.items.map((row, i) => (i === 0 ? E.map((a: Charge) => ({ ...a }))(row) : row)),
      }),
    ]
    for (const [i, change] of changes.entries()) {
      const { told, rejected } = await exported([first, big], { change, format })
      expect(told).toContain('chg_1')
      expect([i, told.includes('90071992547409931')]).toEqual([i, true])
      expect(rejected).toEqual([])
    }
  })
})
