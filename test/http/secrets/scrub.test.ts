/** What must not show, in whatever way it is spelled. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { digitsOf, parseExact } from '../../../src/decode/index.js'
import { O } from '../../../src/fp.js'
import { isHeaderValue } from '../../../src/http/request/prepareRequest.js'
import { scrubAll, scrubber } from '../../../src/http/secrets/scrub.js'

const CARD = '4929000000006789'

/** Every letter written so. */
const each = (write: (code: number) => string) => (secret: string) =>
  Array.from(secret, (letter) => write(letter.charCodeAt(0))).join('')

/** Every letter but plain ones written so. */
const odd = (write: (code: number) => string) => (secret: string) =>
  secret.replace(/[^\w-]/g, each(write))

const html: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot' }

const spelled: Readonly<Record<string, (secret: string) => string>> = {
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
}

describe('a secret', () => {
  const secret = fc
    .string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((n) => String.fromCharCode(n)) })
    .filter((text) => text.length >= 4 && isHeaderValue(text))

  it.each(Object.entries(spelled))('does not show %s', (_, write) => {
    fc.assert(
      fc.property(secret, (one) => {
        expect(scrubber([one])(`<p>?a=${write(one)}</p>`)).toBe('<p>?a=[secret]</p>')
      }),
    )
    expect(scrubber(['ak/live+c3VwZXI"s3cr3t\\'])(write('ak/live+c3VwZXI"s3cr3t\\'))).toBe(
      '[secret]',
    )
  })

  it.each([
    '4929 0000 0000 6789',
    '4929-0000-0000-6789',
    '4929.0000.0000.6789',
    '4929  0000  0000  6789',
    '4929\u00a00000\u00a00000\u00a06789',
    '4929+0000+0000+6789',
    '4929%200000%200000%206789',
    '4929%2D0000%2d0000%2D6789',
    '4929&nbsp;0000&nbsp;0000&nbsp;6789',
    '4929&#32;0000&#x20;0000&#160;6789',
    '4929_0000/0000\u20116789',
    '4929 - 0000',
    '4929000000006789',
  ])('that is a number shows in no groups: %s', (text) => {
    const whole = text.replace('4929 - 0000', '4929 -0000 0000 6789')
    expect(scrubber([CARD])(`card ${whole} is unknown`)).toBe('card [secret] is unknown')
  })

  it('of twelve digits, the shortest that a card has, shows in no groups either', () => {
    expect(scrubber(['501800000009'])('card 5018 0000 0009')).toBe('card [secret]')
  })

  it('leaves other text unchanged', () => {
    const scrub = scrubber(['ak/live+key', CARD])
    for (const text of ['ak live key', '4929 000', 'ak/live', '%2F &#47; \\/']) {
      expect(scrub(text)).toBe(text)
    }
  })
})

describe('a text that was cut off within a secret', () => {
  const key = 'ak/live+c3VwZXI"s3cr3t\\&100%'

  it.each(Object.entries(spelled))('shows no more of it than four letters, %s', (_, write) => {
    const whole = `no such key: ${write(key)}`
    const scrub = scrubber([key, CARD])
    for (let end = whole.length; end > 0; end--) {
      const shown = scrub(whole.slice(0, end), 'may be cut')
      expect(shown.length).toBeLessThanOrEqual('no such key: '.length + write('ak/l').length + 8)
    }
  })

  it.each(['4929', '4929 0', '4929-0000-', '49290000000067', '4929.0000.0000'])(
    'of digits: %s',
    (cut) => {
      expect(scrubber([CARD])(`card ${cut}`, 'may be cut')).toBe('card [secret]')
    },
  )

  it('is complete otherwise', () => {
    const scrub = scrubber(['abab-abc', CARD])
    for (const text of ['card 492', 'aba', 'abab-abd', 'abab no', '4929 is not all']) {
      expect(scrub(text, 'may be cut')).toBe(text)
    }
    expect(scrub('abab-abab-a', 'may be cut')).toBe('abab-[secret]')
    expect(scrub('abab-abc, abab-ab', 'may be cut')).toBe('[secret], [secret]')
  })

  it('is searched in linear time', () => {
    const scrub = scrubber([`abcd${'x'.repeat(4_000)}`, `${'%'.repeat(50)}x`])
    expect(scrub(`${'%'.repeat(200_000)}${'abcd'.repeat(200_000)}!`, 'may be cut')).toMatch(/!$/)
    expect(scrub(`${'abcd'.repeat(200_000)}${'%'.repeat(200_000)}!`, 'may be cut')).toMatch(/!$/)
  })
})

describe('a text that was cut before it was sent', () => {
  const key = 'sk_live_ABCDEFGHIJ1234567890'

  it('is searched in linear time', () => {
    const scrub = scrubber([key])
    for (const end of ['.', '<', ' ', '"secret":"', '&quot;secret&quot;:', 'sk_live_']) {
      expect(scrub(`${end.repeat(200_000)}!`)).toMatch(/!$/)
    }
  })

  it.each(['', '...', '\u2026', '</p>', '"}', "'."])(
    'shows no more of a secret than seven letters, with "%s" after it',
    (after) => {
      for (let end = 8; end <= key.length; end++) {
        const text = `bad key ${key.slice(0, end)}${after}`
        expect(scrubber([key])(text)).toBe(`bad key [secret]${after}`)
      }
      expect(scrubber([key])(`it begins with sk_live${after}`)).toBe(
        `it begins with sk_live${after}`,
      )
    },
  )
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
    ['{"secret":"whsec\\"1","a":"b"}', '{"secret":"[secret]","a":"b"}'],
    ['{"id":1,"secret": "whsec_1","url":"u"}', '{"id":1,"secret":"[secret]","url":"u"}'],
    ['{\\"secret\\":\\"whsec_1\\"}', '{\\"secret\\":\\"[secret]\\"}'],
    [
      '<p>&quot;secret&quot;:&quot;whsec_1&quot;</p>',
      '<p>&quot;secret&quot;:&quot;[secret]&quot;</p>',
    ],
  ])('shows in no JSON within a text: %s', (text, shown) => {
    expect(scrubber([])(text)).toBe(shown)
  })
})

it('values nested too deeply are left out, with their secrets', () => {
  const nested = (levels: number): unknown => (levels === 0 ? [CARD] : [nested(levels - 1)])
  const shown = (levels: number) => JSON.stringify(scrubAll(scrubber([CARD]))(nested(levels)))
  expect(shown(40)).toContain('[secret]')
  expect(shown(60)).toContain('[...]')
  for (const levels of [40, 48, 49, 50, 51, 60]) expect(shown(levels)).not.toContain(CARD)
})

describe('the digits of a number', () => {
  it('are kept if harmless', () => {
    const shown = scrubAll(scrubber([CARD]))(parseExact('{"a":[1.50],"b":1e400}'))
    expect(Object(shown)).toEqual(expect.objectContaining({ b: Number.POSITIVE_INFINITY }))
    expect(digitsOf('b')(Object(shown))).toEqual(O.some('1e400'))
    expect(digitsOf('0')(Object(shown).a)).toEqual(O.some('1.50'))
  })

  it('hold no secret', () => {
    const row = parseExact(
      `{"a":1.0000000000000000000000${CARD},"b":[0.50000000000000000000${CARD}]}`,
    )
    const shown = scrubAll(scrubber([CARD]))(row)
    expect(Object(shown).a).toContain('[secret]')
    expect(Object(shown).b[0]).toContain('[secret]')
  })
})
