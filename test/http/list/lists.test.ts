/** Every list of the interface against the independent server: count, order and distinct ids, in each view. */
import { Readable } from 'node:stream'
import { ReadableStream } from 'node:stream/web'
import { lastValueFrom, map, type Observable, of, toArray } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E } from '../../../src/fp.js'
import type { Client, Failure, List } from '../../../src/index.js'
import { inTurn } from '../../support/inTurn.js'
import { type JudgeOptions, PARTNER, type Seen } from '../../support/judge.js'
import { judged } from '../../support/judged.js'

type Row = { readonly id: string }

interface Subject {
  readonly name: string
  readonly route: string
  readonly has: JudgeOptions
  readonly ids: ReadonlyArray<string>
  readonly list: (client: Client) => List<Failure, Row>
}

const upTo = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, n) => `${prefix}_${n}`)

const SUBJECTS: ReadonlyArray<Subject> = [
  {
    name: 'charges',
    route: 'GET /api/v1/charges',
    has: { charges: 95 },
    ids: upTo(95, 'chg'),
    list: (client) => client.charges.list({ page_size: 20 }),
  },
  {
    name: 'batch transfers',
    route: 'GET /api/v1/batch_transfers',
    has: { batches: 83 },
    ids: upTo(83, 'bat'),
    list: (client) => client.batchTransfers.list({ page_size: 20 }),
  },
  {
    name: 'batch items',
    route: 'GET /api/v1/batch_transfers/{id}/items',
    has: { items: 77 },
    ids: upTo(77, 'itm'),
    list: (client) => client.batchTransfers.items({ id: 'bat_1', page_size: 20 }),
  },
  {
    name: 'webhooks',
    route: 'GET /api/v1/webhooks',
    has: { webhooks: 58 },
    ids: upTo(58, 'wh'),
    list: (client) => client.webhooks.list(),
  },
  {
    name: 'partner webhooks',
    route: 'GET /partner-api/v1/webhooks',
    has: { partnerWebhooks: 61 },
    ids: upTo(61, 'pwh'),
    list: (client) => client.partnerWebhooks.list(),
  },
]

type Item = E.Either<Failure, Row>

const shown = E.matchW(
  ({ _tag, message }: Failure) => `${_tag}: ${message}`,
  ({ id }: Row) => id,
)

const inLoop = async (items: AsyncIterable<Item>): Promise<ReadonlyArray<string>> => {
  const seen: Array<string> = []
  for await (const item of items) seen.push(shown(item))
  return seen
}

const idsOf = (page: E.Either<Failure, { readonly items: ReadonlyArray<Item> }>) =>
  E.isLeft(page) ? [shown(page)] : page.right.items.map(shown)

const whole = async (pages: Observable<ReadonlyArray<string>>) =>
  (await lastValueFrom(pages.pipe(toArray()))).flat()

type View = (
  list: Subject['list'] extends (...all: never) => infer L ? L : never,
) => Promise<ReadonlyArray<string>>

const views: ReadonlyArray<readonly [string, View]> = [
  ['items', (list) => lastValueFrom(list.pipe(map(shown), toArray()))],
  ['pages', (list) => whole(list.pages.pipe(map(idsOf)))],
  ['for await', inLoop],
  [
    'for await of pages',
    async (list) => {
      const seen: Array<string> = []
      for await (const page of list.pages) seen.push(...idsOf(page))
      return seen
    },
  ],
  ['drain', (list) => whole(list.drain((page) => of(idsOf(page))))],
  ['drain, three ahead', (list) => whole(list.drain((page) => of(idsOf(page)), { prefetch: 3 }))],
  ['Readable.from', async (list) => (await Readable.from(list).toArray()).map(shown)],
  ['ReadableStream.from', (list) => inLoop(ReadableStream.from<Item>(list))],
]

const open = async ({ has }: Subject, more: JudgeOptions = {}) =>
  judged({ ...has, ...more }, { partner: PARTNER })

const isOdd = [false, true]

describe.each(SUBJECTS)('every one of the $name', (subject) => {
  describe.each(isOdd)('short and empty pages: %j', (oddPages) => {
    inTurn(isOdd, oddPages).each(views)('%s', async (_, view) => {
      const { client } = await open(subject, { oddPages })
      const list = subject.list(client)
      expect(await view(list)).toEqual(subject.ids)
      expect(await view(list.parallel(4))).toEqual(subject.ids)
      const asTheyCome = await view(list.parallel(4, { ordered: false }))
      expect(asTheyCome.toSorted()).toEqual(subject.ids.toSorted())
    })
  })

  it.each([1, 4])('resumes where it was truncated: %i at a time', async (count) => {
    let isBroken = true
    let asked = 0
    const fault = ({ route }: Seen) =>
      route === subject.route && ++asked === 4 && isBroken
        ? { status: 403, body: { code: 'forbidden', message: 'not now' } }
        : undefined
    const { client } = await open(subject, { fault, oddPages: true })
    const all = await lastValueFrom(subject.list(client).parallel(count).pipe(toArray<Item>()))
    const last = all.at(-1)
    if (last === undefined || E.isRight(last) || last.left._tag !== 'Truncated') {
      throw new Error('was not cut short')
    }
    expect(last.left).toMatchObject({ endpoint: subject.route, cause: { status: 403 } })
    isBroken = false
    const rest = await lastValueFrom(
      subject.list(client).parallel(count).from(last.left.position).pipe(toArray<Item>()),
    )
    expect([...all.slice(0, -1), ...rest].map(shown)).toEqual(subject.ids)
  })

  it('starts again with each subscription, and sends nothing before', async () => {
    const { client, calls } = await open(subject)
    const list = subject.list(client)
    expect(calls()).toHaveLength(0)
    const [, items] = views[0] ?? []
    expect([await items?.(list), await items?.(list)]).toEqual([subject.ids, subject.ids])
  })

  it('aborts the request under way at the end of a loop', async () => {
    const { client, server, calls } = await open(subject, {
      fault: ({ route, nth }) => (route === subject.route && nth > 1 ? 'silent' : undefined),
    })
    for await (const item of subject.list(client)) {
      expect(shown(item)).toBe(subject.ids[0])
      await server.until(() => calls().length === 2)
      break
    }
    await server.until(() => server.abandoned() === 1)
    expect(calls()).toHaveLength(2)
  })
})
