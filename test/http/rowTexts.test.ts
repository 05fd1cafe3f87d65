/** Rows as they came, cut out of the text of a page. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rowTexts } from '../../src/http/rowTexts.js'
import type { RowTexts } from '../../src/stream/index.js'

const textOf = (bytes: Uint8Array): string =>
  new TextDecoder('utf-8', { fatal: true }).decode(bytes)

const join = (texts: RowTexts | undefined, places: ReadonlyArray<number>, between: string) =>
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

describe('the texts of rows', () => {
  it('are those rows, or none at all', () => {
    let cut = 0
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(...envelopes),
        fc.option(fc.array(fc.nat(), { maxLength: 4 }), { nil: undefined }),
        (rows, envelope, cuts) => {
          const each = rows.map((one) => JSON.stringify(one))
          const body = envelope(`[${each}]`)
          const answer = cuts === undefined ? { body } : { body, parts: arriving(body, cuts) }
          const texts = rowTexts(answer, rows.length)
          if (texts === undefined) return
          cut++
          const places = rows.map((_, i) => i)
          expect(texts.length).toBe(rows.length)
          for (const some of [places, odd(places), places.slice(1)]) {
            const texted = some.map((place) => each[place])
            for (const between of ['\n', ',\n', '', '–']) {
              expect(join(texts, some, between)).toBe(texted.join(between))
            }
          }
        },
      ),
      { numRuns: 2_000 },
    )
    expect(cut).toBeGreaterThan(500)
  })

  it('keep digits, order and escapes as the service wrote them', () => {
    const rows = ['{"amount":9.50,"id":"a"}', '{"id":"\\u0062","amount":90071992547409931}']
    for (const envelope of envelopes) {
      const texts = rowTexts({ body: envelope(`[${rows}]`) }, 2)
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
    const texts = rowTexts({ body, parts: [bytes.subarray(0, 30), bytes.subarray(30)] }, 3)
    const place = new Uint8Array(1_000)
    const put = texts?.join([0, 1, 2], { before: '[', between: '|', after: ']' }, (length) =>
      place.subarray(3, 3 + length),
    )
    expect(put?.buffer).toBe(place.buffer)
    expect(put && textOf(put)).toBe(`[${rows.join('|')}]`)
    expect(join(texts, [0, 2], '\n')).toBe(`${rows[0]}\n${rows[2]}`)
    expect(textOf(bytes)).toBe(body)
  })

  it('are none where the bytes are no UTF-8, or begin with a mark', () => {
    const body = '{"items":[{"a":"\uFFFD"}]}'
    const bytes = Uint8Array.from('{"items":[{"a":"\xFF"}]}', (letter) => letter.charCodeAt(0))
    expect(new TextDecoder().decode(bytes)).toBe(body)
    expect(rowTexts({ body, parts: [bytes] }, 1)).toBeUndefined()
    const marked = new TextEncoder().encode('\uFEFF{"items":[{"a":1}]}')
    expect(rowTexts({ body: '{"items":[{"a":1}]}', parts: [marked] }, 1)).toBeUndefined()
  })

  it.each([
    ['rows with what stands between rows in them', '{"items":[{"a":"},{"},{"b":1}]}', 2],
    ['a text that is laid out', '{\n  "items": [{"a":1}]\n}', 1],
    ['rows over several lines', '{"items":[{"a":1,\n"b":2},{"a":3}]}', 2],
    ['rows with space between them', '{"items":[{"a":1}, {"a":2}]}', 2],
    ['rows with space between some', '{"items":[{"a":"x},{y"}, {"b":1},{"c":2}]}', 3],
    ['another list after the rows', '{"items":[{"a":1},{"a":2}],"more":[{"b":1}]}', 2],
    ['another list before the rows', '{"other":[{"b":1}],"items":[{"a":1},{"a":2}]}', 2],
    ['an object that has the rows within', '{"data":{"items":[{"a":1}]},"items":[{"a":1}]}', 1],
    ['other rows than were read', '{"items":[{"a":1},{"a":2}]}', 3],
    ['fewer rows than were read', '{"items":[{"a":1},{"a":2},{"a":3}]}', 2],
    ['rows that are no objects', '{"items":[1,2]}', 2],
    ['no rows', '{"items":[]}', 0],
    ['no text', '', 0],
  ])('are none of %s', (_, body, rows) => {
    expect(rowTexts({ body }, rows)).toBeUndefined()
  })
})
