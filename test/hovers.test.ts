/** Hovers of an editor: the comments that are left in the declarations of the package. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { calls } from '../scripts/reference/calls.js'
import { type Declarations, declarations, entries, type Shown } from './support/declarations.js'

let emitted: Declarations | undefined

beforeAll(async () => {
  emitted = await declarations()
})

afterAll(() => emitted?.close())

const names = async (path: string): Promise<ReadonlyArray<Shown>> =>
  (await emitted?.names(path)) ?? []

/** Names after the dot of one of them. */
const fieldsOf = async (
  name: string,
  among: Promise<ReadonlyArray<Shown>>,
): Promise<ReadonlyArray<Shown>> => (await among).find((one) => one.name === name)?.fields() ?? []

const nameOf = ({ name }: Shown): string => name

/** Names without a comment. */
const silent = (all: ReadonlyArray<Shown>): ReadonlyArray<string> =>
  all.filter(({ comment }) => comment === '').map(nameOf)

it.each([...entries.keys()])('every name of %s has a word', async (path) => {
  const all = await names(path)
  expect(all.length).toBeGreaterThan(0)
  expect(silent(all)).toEqual([])
})

/** Names that explain themselves, and those on every Error, stream, codec and list. */
const plain = new Set([
  ...['_tag', 'name', 'message', 'cause', 'stack'],
  ...['source', 'operator', 'subscribe', 'pipe', 'toPromise'],
  ...['_A', '_O', '_I', 'asDecoder', 'asEncoder'],
])

/** A function as in `node:fs/promises`, a code by its status. */
const known = new Set(['Files', 'SmallFiles', 'Handle', 'Errors'])

const isPlain = ({ name }: Shown): boolean => plain.has(name) || name.startsWith('__@')

it.each([...entries.keys()])('every field of a type of %s has a word', async (path) => {
  const types = (await names(path)).filter(({ isType, name }) => isType && !known.has(name))
  const fields = await Promise.all(
    types.map(async (type) => ({ type: type.name, fields: await type.fields() })),
  )
  expect(fields.flatMap((one) => one.fields).length).toBeGreaterThan(0)
  expect(
    fields.flatMap((one) =>
      silent(one.fields.filter((field) => !isPlain(field))).map((name) => `${one.type}.${name}`),
    ),
  ).toEqual([])
})

/** Words that only make sense below the line that they stand above: an editor shows them alone. */
const HANGING = /^(Of|Such as|That of|As|Only (the one|those that)|How many it|In (whole|its|ms))\b/

it.each([...entries.keys()])('every field of a type of %s says what it is', async (path) => {
  const types = (await names(path)).filter(({ isType, name }) => isType && !known.has(name))
  const fields = await Promise.all(
    types.map(async (type) =>
      (await type.fields()).map(({ name, comment }) => [`${type.name}.${name}`, comment] as const),
    ),
  )
  expect(fields.flat().filter(([, comment]) => HANGING.test(comment))).toEqual([])
})

describe('the client', () => {
  const client = () => fieldsOf('Client', names('.'))

  const rows = calls.filter(({ resource }) => resource !== 'authentication')

  it('has a word for each thing that it has', async () => {
    const all = await client()
    expect(all.map(nameOf)).toEqual(expect.arrayContaining(['charges', 'events', 'with']))
    expect(silent(all)).toEqual([])
  })

  it.each(rows)('shows the comment of $resource $name', async ({ resource, name, comment }) => {
    const call = (await fieldsOf(resource, client())).find((one) => one.name === name)
    expect(comment).not.toBe('')
    expect(call?.comment).toBe(comment)
  })

  it.each([
    ['charges', 'untilState'],
    ['batchTransfers', 'addAllItems'],
    ['reference', 'uploadAll'],
  ])('has a word for what %s has besides, such as %s', async (table, more) => {
    const all = await fieldsOf(table, client())
    expect(all.map(nameOf)).toContain(more)
    expect(silent(all)).toEqual([])
  })
})
