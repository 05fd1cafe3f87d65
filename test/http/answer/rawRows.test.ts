/** Rows as they came, cut out of the text of a page. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rawRows } from '../../../src/http/answer/rawRows.js'
import type { HttpResponse } from '../../../src/index.js'
import { type RowText, rowText } from '../../../src/stream/rawRows.js'
import { runs } from '../../support/runs.js'

const rowTexts = (
  answer: Pick<HttpResponse, 'body' | 'parts'>,
  rows: ReadonlyArray<unknown>,
): RowText | undefined => rowText(rawRows(answer, rows))

const textOf = (bytes: Uint8Array): string =>
  new TextDecoder('utf-8', { fatal: true }).decode(bytes)

const join = (texts: RowText | undefined, places: ReadonlyArray<number>, between: string) =>
  texts && textOf(texts.join(places, { between }))

const envelopes: ReadonlyArray<(items: string) => string> = [
  (items) => `{"has_more":true,"items":${items}}`,
  (items) => `{"items":${items},"has_more":false}`,
  (items) => `{"items":${items},"page_after":"b2Zm","page_before":null}`,
]

/** Texts that look like what stands between rows. */
const tricky = fc.oneof(
  fc.string(),
  fc.constantFrom('},{', '}]', '{"items":[{', '"', '\\', '}],"page_after":"x"}', '\n', '\u2028'),
)

const row = fc.dictionary(
  tricky,
  fc.oneof(tricky, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.jsonValue()),
  { minKeys: 0, maxKeys: 4 },
)

/** A text as it comes: in parts that end anywhere, also within a letter. */
const arriving = (text: string, cuts: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const bytes = new TextEncoder().encode(text)
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return ends.map((end, i) => bytes.subarray(i === 0 ? 0 : ends[i - 1], end))
}

const odd = <T>(all: ReadonlyArray<T>): ReadonlyArray<T> => all.filter((_, i) => i % 2 === 1)

const objects = (count: number) => Array.from({ length: count }, () => ({}))

/** JSON as any writer may lay it out: space, or none, between any two of its tokens. */
const laidOut = (u: unknown, gap: () => string): string => {
  const listed = (texts: ReadonlyArray<string>) =>
    texts.map((text, i) => `${i === 0 ? '' : `${gap()},`}${gap()}${text}`).join('') + gap()
  if (Array.isArray(u)) return `[${listed(u.map((one) => laidOut(one, gap)))}]`
  if (typeof u !== 'object' || u === null) return JSON.stringify(u)
  const fields = Object.entries(u).map(
    ([name, value]) => `${JSON.stringify(name)}${gap()}:${gap()}${laidOut(value, gap)}`,
  )
  return `{${listed(fields)}}`
}

/** Rows whose own lists look like lists of rows, and rows that are none. */
const nested = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({ b: fc.array(fc.record({ c: fc.nat(9) }), { maxLength: 3 }) }),
    },
    { weight: 4, arbitrary: fc.record({ e: fc.nat(9) }) },
    {
      weight: 1,
      arbitrary: fc.oneof(fc.nat(9), fc.constant([{ d: 1 }, { d: 2 }]), fc.constant({})),
    },
  ),
  { minLength: 1, maxLength: 6 },
)

describe('the texts of rows', () => {
  it('are those rows where one is no object, and rows within make up for it', () => {
    const rows = [{ b: [{ c: 1 }, { c: 2 }, { c: 3 }] }, 1, { x: 1 }, { y: 1 }]
    const texts = rowTexts({ body: JSON.stringify({ items: rows }) }, rows)
    expect(join(texts, [0, 1, 2, 3], '\n')).toBe(rows.map((row) => JSON.stringify(row)).join('\n'))
  })

  it('are those rows, whatever stands in them', () => {
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(...envelopes),
        fc.option(fc.array(fc.nat(), { maxLength: 4 }), { nil: undefined }),
        (rows, envelope, cuts) => {
          const each = rows.map((one) => JSON.stringify(one))
          const body = envelope(`[${each}]`)
          const answer = cuts === undefined ? { body } : { body, parts: arriving(body, cuts) }
          const texts = rowTexts(answer, rows)
          const places = rows.map((_, i) => i)
          expect(texts?.length).toBe(rows.length)
          for (const some of [places, odd(places), places.slice(1)]) {
            const texted = some.map((place) => each[place])
            for (const between of ['\n', ',\n', '', '–']) {
              expect(join(texts, some, between)).toBe(texted.join(between))
            }
          }
        },
      ),
      { numRuns: runs(2_000) },
    )
  })

  it('are those rows in whatever layout, mixed ones as well, each on one line', () => {
    const oddly = fc.record({
      rows: nested,
      before: fc.option(nested, { nil: undefined, freq: 2 }),
      after: fc.option(nested, { nil: undefined, freq: 2 }),
      spaces: fc.dictionary(fc.nat(60).map(String), fc.constantFrom(' ', '\t', '\n'), {
        maxKeys: 3,
      }),
    })
    fc.assert(
      fc.property(oddly, ({ rows, before, after, spaces }) => {
        let gaps = 0
        const gap = (): string => spaces[gaps++] ?? ''
        const field = (name: string, list: unknown) =>
          list === undefined ? [] : [`"${name}":${gap()}${laidOut(list, gap)}`]
        // a name that comes twice counts as it comes last
        const body = `{${[...field('items', before), ...field('items', rows), ...field('more', after)]}}`
        expect(JSON.parse(body).items).toEqual(rows)
        const texts = rowTexts({ body }, rows)
        const places = rows.map((_, i) => i)
        const lines = join(texts, places, '\n')?.split('\n')
        expect(lines?.map((line) => JSON.parse(line))).toEqual(rows)
      }),
      { numRuns: runs(5_000) },
    )
  })

  it('keep digits, order and escapes as the service wrote them', () => {
    const rows = ['{"amount":9.50,"id":"a"}', '{"id":"\\u0062","amount":90071992547409931}']
    for (const envelope of envelopes) {
      const texts = rowTexts({ body: envelope(`[${rows}]`) }, objects(2))
      expect(join(texts, [0, 1], '\n')).toBe(rows.join('\n'))
      expect(join(texts, [1], '\n')).toBe(rows[1])
      expect(join(texts, [], '\n')).toBe('')
      expect(join(texts, [0, 1], '$&')).toBe(rows.join('$&'))
    }
  })

  it('are the bytes that came, in a place of whose they are', () => {
    const rows = ['{"name":"Zoë"}', '{"name":"東京 },[ 😀"}', '{"name":"plain"}']
    const body = `{"items":[${rows}]}`
    const bytes = new TextEncoder().encode(` ${body} `).subarray(1, -1)
    const texts = rowTexts({ body, parts: [bytes.subarray(0, 30), bytes.subarray(30)] }, objects(3))
    const place = new Uint8Array(1_000)
    const put = texts?.join([0, 1, 2], { before: '[', between: '|', after: ']' }, (length) =>
      place.subarray(3, 3 + length),
    )
    expect(put?.buffer).toBe(place.buffer)
    expect(put && textOf(put)).toBe(`[${rows.join('|')}]`)
    expect(join(texts, [0, 2], '\n')).toBe(`${rows[0]}\n${rows[2]}`)
    expect(textOf(bytes)).toBe(body)
  })

  it('are none where the bytes are no UTF-8', () => {
    const body = '{"items":[{"a":"\uFFFD"}]}'
    const bytes = Uint8Array.from('{"items":[{"a":"\xFF"}]}', (letter) => letter.charCodeAt(0))
    expect(new TextDecoder().decode(bytes)).toBe(body)
    expect(rowTexts({ body, parts: [bytes] }, objects(1))).toBeUndefined()
  })

  it('are those rows where the bytes begin with a mark', () => {
    const marked = new TextEncoder().encode('\uFEFF{"items":[{"a":1}]}')
    const texts = rowTexts({ body: '{"items":[{"a":1}]}', parts: [marked] }, objects(1))
    expect(join(texts, [0], '')).toBe('{"a":1}')
  })

  it.each([
    [
      'what stands between rows in them',
      '{"items":[{"a":"},{"},{"b":1.0}]}',
      '{"a":"},{"}|{"b":1.0}',
    ],
    [
      'a text that looks like two rows',
      '{"items":[{"a":"[{\\"a\\":1},{\\"b\\":2}]"},{"b":90071992547409931}]}',
      '{"a":"[{\\"a\\":1},{\\"b\\":2}]"}|{"b":90071992547409931}',
    ],
    ['a layout', '{\n  "items": [{"a": 1.0,\n"b": "x  y\\" z"}]\n}', '{"a":1.0,"b":"x  y\\" z"}'],
    ['space between them', '{"items":[{"a":1e400}, {"a":2}]}', '{"a":1e400}|{"a":2}'],
    ['lists', '{"items":[[1, [2]],[]]}', '[1,[2]]|[]'],
    [
      'another list under the same name',
      '{"items":[{"a":1}],"items":[{"b":1},{"b":2}]}',
      '{"b":1}|{"b":2}',
    ],
    [
      'another list under the same name, laid out otherwise',
      '{"items":[{"a":1}],"items":[{"b":1} ]}',
      '{"b":1}',
    ],
    [
      'other lists around them',
      '{"other":[{"b":1}],"items":[{"a":1},{"a":2}],"more":[{"b":1}]}',
      '{"a":1}|{"a":2}',
    ],
    [
      'an object that has rows of that name',
      '{"data":{"items":[{"b":1}]},"it\\u0065ms":[{"a":1}]}',
      '{"a":1}',
    ],
    [
      'text beyond ASCII',
      '{"items":[{"a":"東京 \\" ,[ 😀"}, {"ë":1}]}',
      '{"a":"東京 \\" ,[ 😀"}|{"ë":1}',
    ],
  ])('are the rows of a page with %s', (_, body, expected) => {
    const { items } = JSON.parse(body)
    const texts = rowTexts({ body }, items)
    expect(join(texts, [...items.keys()], '|')).toBe(expected)
  })

  it.each([
    ['other rows than were read', '{"items":[{"a":1},{"a":2}]}', 3],
    ['fewer rows than were read', '{"items":[{"a":1},{"a":2},{"a":3}]}', 2],
    ['no rows', '{"items":[]}', 0],
    ['no text', '', 0],
  ])('are none of %s', (_, body, rows) => {
    expect(rowTexts({ body }, objects(rows))).toBeUndefined()
  })
})
