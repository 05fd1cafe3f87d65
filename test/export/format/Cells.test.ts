import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Cells } from '../../../src/export/format/Cells.js'
import { reusable } from '../../../src/stream/reusable.js'

const written = (put: (cells: Cells) => void): string => {
  const cells = new Cells(reusable())
  put(cells)
  return new TextDecoder().decode(cells.bytes())
}

it.each([1, 1_000, 20_000, 25_000, 32_768, 70_000])(
  'a text has room for its letters, of three bytes each: %d',
  (length) => {
    const text = '€'.repeat(length)
    const plain = written((cells) => cells.plain(text))
    expect(plain === text).toBe(true) // and not thousands of letters of difference
    const twice = written((cells) => {
      cells.plain('-'.repeat(10_000))
      cells.text(text, (masked) => masked)
    })
    expect(twice.slice(10_000) === text).toBe(true)
  },
)

describe('a number in a cell', () => {
  it.each([
    ...[
      0,
      -0,
      1,
      10,
      0.1,
      0.01,
      0.05,
      0.5,
      1.1,
      10.01,
      99.99,
      100,
      1e6,
      2 ** 31 / 100,
      2 ** 31 - 1,
    ],
    ...[0.001, 1.005, 1e21, 1e-7, -1, -0.5, 21_474_836.46, 21_474_836.47, 21_474_836.48, 2 ** 53],
  ])('is what String makes of it: %d', (n) => {
    expect(written((cells) => cells.number(n))).toBe(String(n))
  })

  it('is what String makes of it, whatever it is', () => {
    const amounts = fc.integer({ min: -(2 ** 33), max: 2 ** 33 }).map((n) => n / 100)
    fc.assert(
      fc.property(fc.array(fc.oneof(amounts, fc.double(), fc.integer())), (numbers) => {
        const put = (cells: Cells): void => {
          for (const n of numbers) {
            cells.number(n)
            cells.comma()
          }
        }
        expect(written(put)).toBe(numbers.map((n) => `${n},`).join(''))
      }),
      { numRuns: 2_000 },
    )
  })
})
