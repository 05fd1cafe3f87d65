/** Rows as they came, cut out of the text of a page. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rowTexts } from '../../src/http/rowTexts.js'

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

const odd = <T>(all: ReadonlyArray<T>): ReadonlyArray<T> => all.filter((_, i) => i % 2 === 1)

describe('the texts of rows', () => {
  it('are those rows, or none at all', () => {
    let cut = 0
    fc.assert(
      fc.property(
        fc.array(row, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(...envelopes),
        (rows, envelope) => {
          const texts = rowTexts(envelope(JSON.stringify(rows)), rows.length)
          if (texts === undefined) return
          cut++
          const places = rows.map((_, i) => i)
          const read = (some: ReadonlyArray<number>) =>
            some.map((place) => JSON.parse(texts.join([place], '')))
          expect(texts.length).toBe(rows.length)
          expect(read(places)).toEqual(JSON.parse(JSON.stringify(rows)))
          for (const some of [places, odd(places), places.slice(1)]) {
            const lines = some.map((place) => texts.join([place], ''))
            expect(texts.join(some, '\n')).toBe(lines.join('\n'))
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
      const texts = rowTexts(envelope(`[${rows}]`), 2)
      expect(texts?.join([0, 1], '\n')).toBe(rows.join('\n'))
      expect(texts?.join([1], '\n')).toBe(rows[1])
      expect(texts?.join([], '\n')).toBe('')
      expect(texts?.join([0, 1], '$&')).toBe(rows.join('$&'))
    }
  })

  it.each([
    ['rows with what stands between rows in them', '{"items":[{"a":"},{"},{"b":1}]}', 2],
    ['a text that is laid out', '{\n  "items": [{"a":1}]\n}', 1],
    ['rows over several lines', '{"items":[{"a":1,\n"b":2},{"a":3}]}', 2],
    ['rows with space between them', '{"items":[{"a":1}, {"a":2}]}', 2],
    ['another list after the rows', '{"items":[{"a":1},{"a":2}],"more":[{"b":1}]}', 2],
    ['another list before the rows', '{"other":[{"b":1}],"items":[{"a":1},{"a":2}]}', 2],
    ['an object that has the rows within', '{"data":{"items":[{"a":1}]},"items":[{"a":1}]}', 1],
    ['other rows than were read', '{"items":[{"a":1},{"a":2}]}', 3],
    ['fewer rows than were read', '{"items":[{"a":1},{"a":2},{"a":3}]}', 2],
    ['rows that are no objects', '{"items":[1,2]}', 2],
    ['no rows', '{"items":[]}', 0],
    ['no text', '', 0],
  ])('are none of %s', (_, body, rows) => {
    expect(rowTexts(body, rows)).toBeUndefined()
  })
})
