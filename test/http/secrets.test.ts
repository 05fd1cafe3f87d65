/** Secrets, in every way that they may be written. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scrubAll, scrubber } from '../../src/http/secrets.js'

const CARD = '4929000000006789'

/** Every letter but plain ones written so. */
const odd = (write: (code: number) => string) => (secret: string) =>
  secret.replace(/[^\w-]/g, (letter) => write(letter.charCodeAt(0)))

const html: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' }

const written: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => secret,
  'in JSON': (secret) => JSON.stringify(secret).slice(1, -1),
  'in JSON with slashes escaped': (secret) =>
    JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/'),
  'in JSON of ASCII': odd((code) => `\\u${code.toString(16).padStart(4, '0')}`),
  'in a URL': (secret) => encodeURIComponent(secret),
  'in a URL in small letters': (secret) =>
    encodeURIComponent(secret).replace(/%../g, (one) => one.toLowerCase()),
  'in a URL of Latin-1': odd((code) => `%${code.toString(16).padStart(2, '0')}`),
  'in a form': (secret) => new URLSearchParams({ a: secret }).toString().slice(2),
  'in a page': (secret) =>
    secret.replace(/[&<>"]/g, (letter) => `&${html[letter]};`).replaceAll("'", '&#39;'),
  'in a page by numbers': odd((code) => `&#x${code.toString(16).toUpperCase()};`),
  'all in numbers': (secret) =>
    Array.from(secret, (letter) => `&#${letter.charCodeAt(0)};`).join(''),
}

/** Letters and digits, with anything that a header may have between them. */
const secret = fc
  .array(
    fc.tuple(
      fc.stringMatching(/^[\dA-Za-z]{1,8}$/),
      fc.constantFrom('/', '+', '"', '\\', '&', '%', ' ', '=', '<', 'é', '', '-', '.'),
    ),
    { minLength: 8, maxLength: 12 },
  )
  .map((pieces) => `k${pieces.flat().join('')}k`)

describe('a text with a secret', () => {
  it.each(Object.entries(written))('is left out, with the secret %s', (_, write) => {
    fc.assert(
      fc.property(secret, (one) => {
        expect(scrubber([one])(`<p>?a=${write(one)}</p>`)).toBe('[secret]')
      }),
      { examples: ['kA\\naA\\n01A\\nbk', 'kab%41cd%42ef%43gk'].map((one) => [one]) }, // parts that look encoded
    )
  })

  it.each(Object.entries(written))('is left out if it was cut off within it, %s', (_, write) => {
    const key = 'ak/live+c3VwZXI"s3cr3t\\&100%'
    const scrub = scrubber([key, CARD])
    for (let length = 12; length < key.length; length++) {
      for (const after of ['', '...', '\u2026', '</p>', '"}', "'."]) {
        expect(scrub(`no such key: ${write(key.slice(0, length))}${after}`)).toBe('[secret]')
        expect(scrub(`no such key: ${write(key.slice(-length))}${after}`)).toBe('[secret]')
      }
    }
  })

  it.each([' ', ' - ', ',', '|', '\u00a0', '   ', '%20', '&nbsp;', '&#32;', '_', '\u2011', '/'])(
    'is left out with the digits in groups: %j',
    (by) => {
      for (const size of [1, 2, 3, 4, 5]) {
        const groups = CARD.match(new RegExp(`.{1,${size}}`, 'g')) ?? []
        expect(scrubber([CARD])(`card ${groups.join(by)} is unknown`)).toBe('[secret]')
      }
    },
  )

  it('is left out with digits of full width', () => {
    const wide = CARD.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)))
    expect(scrubber([CARD])(wide)).toBe('[secret]')
  })

  it('is found in linear time', () => {
    const scrub = scrubber([`abcd${'x'.repeat(4_000)}`, `${'%'.repeat(50)}x`])
    for (const end of ['.', '<', ' ', '"secret"', '&quot;secret&quot;', '&#', '\\u', '%', 'abcd']) {
      expect(scrub(`${end.repeat(100_000)}!`)).toMatch(/!$/)
    }
  })
})

it('other text is unchanged', () => {
  const scrub = scrubber(['ak/live+key', CARD, 'abc'])
  for (const text of ['ak live', '4929 000', 'abc', 'a\u00e9 b', '%2F &#47; \\/', '']) {
    expect(scrub(text)).toBe(text)
  }
})

describe('a field named secret', () => {
  it('is removed', () => {
    const scrub = scrubAll(scrubber([]))
    expect(scrub({ webhook: { id: 'wh_1', secret: 'whsec_1' }, secret: null })).toEqual({
      webhook: { id: 'wh_1', secret: '[secret]' },
      secret: null,
    })
  })

  it.each([
    '{"secret":"whsec\\"1","a":"b"}',
    '{"id":1,"secret": "whsec_1","url":"u"}',
    '{\\"secret\\":\\"whsec_1\\"}',
    '<p>&quot;secret&quot;:&quot;whsec_1&quot;</p>',
  ])('shows in no JSON within a text: %s', (text) => {
    expect(scrubber([])(text)).toBe('[secret]')
  })
})

it('a value has no secret in names, texts and numbers, and is left out where it is nested too deeply', () => {
  const scrub = scrubAll(scrubber([CARD]))
  expect(scrub({ [CARD]: [CARD, Number(CARD), 5, true, null] })).toEqual({
    '[secret]': ['[secret]', '[secret]', 5, true, null],
  })
  const nested = (levels: number): unknown => (levels === 0 ? [CARD] : [nested(levels - 1)])
  for (const levels of [40, 48, 49, 50, 51, 60]) {
    expect(JSON.stringify(scrub(nested(levels)))).not.toContain(CARD)
  }
  expect(JSON.stringify(scrub(nested(60)))).toContain('[...]')
})
