import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { wrapped } from '../../src/report/text.js'

describe('a line on a narrow terminal', () => {
  it('is broken between words, and goes on below its text', () => {
    const finding =
      'warning  clock          the clock of this machine is 12 s behind the one of the service'
    expect(wrapped(finding, 60)).toBe(
      [
        'warning  clock          the clock of this machine is 12 s',
        '                        behind the one of the service',
      ].join('\n'),
    )
    expect(wrapped('complete: 100 rows written to charges.ndjson, 0.3 s', 30)).toBe(
      ['complete: 100 rows written to', 'charges.ndjson, 0.3 s'].join('\n'),
    )
  })

  it('has the same words as before, none of them broken, and fits', () => {
    const word = fc.stringMatching(/^[a-z]{1,20}$/)
    const gap = fc.constantFrom(' ', ' ', ' ', '  ', '      ')
    const line = fc.array(fc.tuple(word, gap), { minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(line, fc.integer({ min: 60, max: 120 }), (parts, columns) => {
        const text = parts.flat().join('').trimEnd()
        const lines = wrapped(text, columns).split('\n')
        expect(lines.join(' ').trim().split(/ +/)).toEqual(text.split(/ +/))
        for (const one of lines) expect(one.trimEnd().length).toBeLessThanOrEqual(columns)
      }),
    )
  })
})
