/** Rows that are written as the service wrote them, letter by letter, where they are rows as they came. */
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { lastValueFrom, type Observable } from 'rxjs'
import { describe, expect, it } from 'vitest'
import type { Position } from '../../src/api/Paging.js'
import { Charge } from '../../src/codec/Charge.js'
import { compile } from '../../src/decode/index.js'
import { exportList, type FormatOptions, formatOf, openStream } from '../../src/export/index.js'
import { E } from '../../src/fp.js'
import { readPage } from '../../src/http/answer.js'
import type { Failure } from '../../src/index.js'
import type { Page } from '../../src/stream/index.js'
import { CHARGE } from '../support/lab.js'

type P = Page<Failure, Charge, Position>

const json = (id: string, amount: string): string =>
  JSON.stringify({ ...CHARGE, id, amount: 0, later: '\u00e9' })
    .replace('"amount":0', `"amount":${amount}`)
    .replace('\u00e9', '\\u00e9')

const [first, second, third] = [json('chg_1', '9.50'), json('chg_2', '1e2'), json('chg_3', '0.10')]
const broken = json('chg_4', '"much"')

const read = readPage(compile(Charge))({ page_num: 0 })({
  endpoint: 'GET /api/v1/charges',
  attempts: 1,
  scrub: (told) => told,
})

const written = async (
  rows: ReadonlyArray<string>,
  {
    change = (page: P): P => page,
    ...options
  }: Partial<FormatOptions> & { change?: (page: P) => P } = {},
): Promise<string> => {
  const body = `{"has_more":false,"items":[${rows}]}`
  const page = E.map(change)(read({ status: 200, header: () => undefined, body }))
  const list = {
    drain: <B>(project: (page: E.Either<Failure, P>) => Observable<B>) => project(page),
  }
  const format = formatOf(Charge)({ format: 'ndjson', ...options })
  if (E.isLeft(format)) throw new Error('no such format')
  const to = new PassThrough()
  const told = text(to)
  const stream = await openStream({ stream: to, format: format.right })
  await lastValueFrom(
    exportList<Charge, Position, P>({ list, sink: stream.write, rejects: async () => {} }),
  )
  await stream.finish()
  to.end()
  return told
}

describe('rows in NDJSON and JSON', () => {
  it('have the digits, the order and the escapes that they came with', async () => {
    expect(await written([first, second])).toBe(`${first}\n${second}\n`)
    expect(await written([first, second], { format: 'json' })).toBe(`[\n${first},\n${second}\n]\n`)
  })

  it('are told apart from those that are rejected, or came before', async () => {
    expect(await written([first, broken, second, first, third])).toBe(
      `${first}\n${second}\n${third}\n`,
    )
  })

  it('are written anew when somebody has changed them', async () => {
    const change = (page: P): P => ({
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
})
