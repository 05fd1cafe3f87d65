/** Numbers that a double does not hold: in each destination they are what came, to the last digit, or their row is rejected. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lastValueFrom, toArray } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { Charge } from '../../src/codec/index.js'
import { digitsOf, stringifyExact } from '../../src/decode/index.js'
import { type Destination, exportTo, type Reject, readRows, sync } from '../../src/export/index.js'
import { E, O } from '../../src/fp.js'
import { createClient } from '../../src/index.js'
import { CHARGE } from '../support/lab.js'
import { databases, folder } from './sync/databases.js'

const AMOUNTS = ['12.50', '9007199254740993', '900719925474099.37', '0.1', '3631.2500000000005']

const METADATA =
  '{"n":9007199254740993,"list":[1e400,0.12345678901234567890],"text":"12345678901234567890"}'

const rows = AMOUNTS.map((amount, i) => {
  const row = { ...CHARGE, id: `chg_${i}`, status: 'SETTLED', metadata: 'METADATA' }
  return JSON.stringify(row).replace('9.99', amount).replace('"METADATA"', METADATA)
})

/** A service with one page of charges, older than an hour. */
const payments = (numbers: 'fast' | 'exact') =>
  createClient({
    baseUrl: 'https://platform.test',
    credentials: { clientId: 'me', apiKey: 'key' },
    numbers,
    fetch: async (input) => {
      const url = new URL(String(input))
      if (url.pathname.endsWith('/login')) {
        return Response.json({ token: 'token', expires_at: '2099-01-01T00:00:00+0000' })
      }
      const one = rows.find((row) => url.pathname.endsWith(JSON.parse(row).id))
      if (one !== undefined) return new Response(one)
      const at = Date.parse(CHARGE.created_at.replace('+0000', 'Z'))
      const bound = (name: string, otherwise: number) => {
        const text = url.searchParams.get(name)
        return text === null ? otherwise : Date.parse(text.replace('+0000', 'Z'))
      }
      const isWithin = bound('from_created_at', 0) <= at && at <= bound('to_created_at', 4e12)
      const status = url.searchParams.get('status') ?? 'SETTLED'
      const size = Number(url.searchParams.get('page_size') ?? 100)
      const first = Number(url.searchParams.get('page_num') ?? 0) * size
      const found = isWithin && status === 'SETTLED' ? rows.slice(first, first + size) : []
      return new Response(`{"items":[${found}],"has_more":false}`)
    },
  }).charges

/** A number as digits and power of ten, however it is written. */
const numberOf = (text: string): string => {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const short = digits.replace(/0+$/, '')
  return `${sign}${short}e${Number(exponent) - fraction.length + digits.length - short.length}`
}

/** The numbers of JSON text, as values. */
const numbersIn = (json: string): ReadonlyArray<string> =>
  (json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""').match(/-?\d[\d.eE+-]*/g) ?? []).map(numberOf)

/** Throws unless each row is there with its values, or rejected. `metadata`: as JSON text, where the destination has it. */
const expectExact = (
  found: ReadonlyMap<string, { readonly amount: string; readonly metadata?: string }>,
  rejected: ReadonlyArray<unknown>,
): void => {
  const there = [...found.keys(), ...rejected].sort()
  expect(there).toEqual(rows.map((row) => JSON.parse(row).id))
  for (const [id, { amount, metadata }] of found) {
    expect([id, numberOf(amount)]).toEqual([id, numberOf(AMOUNTS[Number(id.slice(4))] ?? '')])
    if (metadata !== undefined) expect(numbersIn(metadata)).toEqual(numbersIn(METADATA))
  }
}

const file = folder()

/** Takes rejected rows. */
const rejects = () => {
  const ids: Array<unknown> = []
  return {
    ids,
    onReject: async (page: ReadonlyArray<Reject>) => {
      for (const { row } of page) ids.push(Object(row).id)
    },
  }
}

/** Reads files of rows with their digits. */
const inFiles = async (path: string) => {
  const read = await lastValueFrom(readRows(path, { codec: Charge }).pipe(toArray()))
  return new Map(
    read.map((row) => {
      if (E.isLeft(row)) throw row.left
      const amount = O.getOrElse(() => String(row.right.amount))(digitsOf('amount')(row.right))
      const { metadata } = Object(row.right)
      const text = typeof metadata === 'string' ? metadata : stringifyExact(metadata ?? null)
      return [
        row.right.id,
        { amount, ...(metadata === undefined ? {} : { metadata: text }) },
      ] as const
    }),
  )
}

/** A destination of one's own: rows as JSON text, by their ids. */
const own = () => {
  const texts = new Map<string, string>()
  let waiting: ReadonlyArray<{ readonly id: string }> = []
  const step = async () => {
    for (const row of waiting) texts.set(row.id, stringifyExact(row))
    waiting = []
    return {}
  }
  const destination: Destination<{ readonly id: string }> = {
    ...{
      name: 'own',
      commitEvery: 0,
      rows: 'byId',
      check: () => undefined,
      resume: async () => {},
    },
    write: async (page) => {
      waiting = [...waiting, ...page]
    },
    ...{ reject: async () => {}, commit: step, finish: step, close: async () => {} },
  }
  const found = () =>
    new Map(
      [...texts].map(([id, text]) => [
        id,
        {
          amount: /"amount":([^,}]*)/.exec(text)?.[1] ?? '',
          metadata: /"metadata":(\{[^}]*\})/.exec(text)?.[1] ?? '',
        },
      ]),
    )
  return { destination, found }
}

describe.each(['fast', 'exact'] as const)('numbers of a client that is %s', (numbers) => {
  it.each(['ndjson', 'json', 'csv', 'parquet'])('are exact in a file: %s', async (format) => {
    const out = file(`${numbers}.${format}`)
    const { ids, onReject } = rejects()
    const last = await lastValueFrom(exportTo(payments(numbers).snapshot(), { out, onReject }))
    expect(last).toMatchObject({ right: { ended: true } })
    expectExact(await inFiles(out), ids)
  })

  it.each(['ndjson', 'parquet'] as const)('are exact in a merged folder: %s', async (format) => {
    const to = join(file(`${numbers}-${format}`), '/')
    const { ids, onReject } = rejects()
    for (let night = 0; night < 2; night++) {
      ids.length = 0
      const last = await lastValueFrom(
        sync(payments(numbers), { to, format, onReject, sweep: 'now' }),
      )
      expect(last).toMatchObject({ right: { ended: true } })
    }
    expectExact(await inFiles(to), ids)
  })

  it.each(databases())('are exact in $name', async ({ isThere, make, sql }) => {
    if (!isThere) return
    const to = await make()
    const { ids, onReject } = rejects()
    const last = await lastValueFrom(sync(payments(numbers), { to, onReject }))
    expect(last).toMatchObject({ right: { ended: true } })
    const found = await sql(to, 'SELECT id, amount FROM charges')
    expectExact(new Map(found.map(({ id, amount }) => [`${id}`, { amount: `${amount}` }])), ids)
  })

  it('are exact in a stream, and come with their digits to a destination of one’s own', async () => {
    const { destination, found } = own()
    const { ids, onReject } = rejects()
    await lastValueFrom(exportTo(payments(numbers).snapshot(), { out: destination, onReject }))
    expectExact(found(), ids)
    const out = file(`${numbers}-stream.ndjson`)
    await lastValueFrom(exportTo(payments(numbers).snapshot(), { out, inPlace: true }))
    expect((await readFile(out, 'utf8')).trim().split('\n')).toEqual(rows)
  })
})
