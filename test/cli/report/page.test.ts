import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bucket } from '../../../src/cli/report/Bucket.js'
import { add } from '../../../src/cli/report/Histogram.js'
import { happened, NONE } from '../../../src/cli/report/Incidents.js'
import { type Facts, page } from '../../../src/cli/report/page.js'
import type { Recording } from '../../../src/cli/report/Recording.js'

const FACTS: Facts = {
  title: 'Export of charges',
  began: Date.UTC(2026, 0, 31, 12),
  ms: 3_000,
  isComplete: true,
  summary: 'complete: 5,000 rows',
  query: [['status', 'SETTLED']],
  counts: [['Rows', '5,000']],
  files: [{ name: 'charges.ndjson', rows: 5_000, bytes: 1_234_567, sha256: 'abc123' }],
  version: '1.2.3',
}

const stretches = [2_000, 3_000, 0].map((rows, i) => {
  const one = { ...bucket(), rows, sent: 2, busiest: 2, seen: 1_000, flying: 1_500 }
  add(one.latency, 150)
  return { from: i * 1_000, to: (i + 1) * 1_000, bucket: one }
})

const RECORDING: Recording = {
  stretches,
  incidents: NONE,
  limit: { name: 'endpoint', perSecond: 20 },
  logins: 1,
  pauses: { count: 0, ms: 0 },
}

const EMPTY: Recording = { ...RECORDING, stretches: [] }

const shownIn = (text: string): string =>
  text
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')

describe('a report', () => {
  it('tells what was asked for, what came of it, and where it went', () => {
    const shown = shownIn(page(FACTS, RECORDING))
    for (const said of [
      'Export of charges',
      'Began 2026-01-31 12:00:00 UTC',
      'complete: 5,000 rows',
      'status SETTLED',
      'charges.ndjson 5,000 1.2 MB abc123',
      'At most 3,000 a second; none for 1.0 s',
      '(endpoint limit, 20 a second)',
      'Half of the answers came within 146 ms',
      'Nothing: every request was answered',
      'Made by payments-rx 1.2.3',
    ]) {
      expect(shown).toContain(said)
    }
  })

  it('says why it is not complete, and what did not go well', () => {
    const incidents = happened('GET /api/v1/charges: 503', 1_500)(NONE)
    const facts = {
      ...FACTS,
      isComplete: false,
      summary: 'incomplete: 5 rows',
      reason: 'it is away',
    }
    const text = page(facts, { ...RECORDING, incidents })
    expect(shownIn(text)).toContain('incomplete: 5 rows it is away')
    expect(shownIn(text)).toContain('GET /api/v1/charges: 503 1 0:01 0:01')
    expect(text).toContain('<title>Export of charges: incomplete</title>')
  })

  it('can be made of a run in which nothing happened', () => {
    const text = page({ ...FACTS, files: [] }, EMPTY)
    expect(text).not.toMatch(/NaN|Infinity|undefined/)
  })

  it('has no number that is none', () => {
    expect(page(FACTS, RECORDING)).not.toMatch(/NaN|Infinity|undefined/)
  })

  it('asks for nothing, runs nothing, and allows nothing but its own style', () => {
    const text = page(FACTS, RECORDING)
    expect(text).not.toMatch(/<script|\son\w+=|style="|src=|href=|url\(|@import|https?:/i)
    const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? ''
    const hash = createHash('sha256').update(style).digest('base64')
    const policy = `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`
    expect(text).toContain(
      `<meta http-equiv="Content-Security-Policy" content="${policy.replaceAll("'", '&#39;')}">`,
    )
  })

  it('cannot be broken out of, whatever it shows', () => {
    const nasty = fc.oneof(
      fc.constantFrom(
        '</script><script>alert(1)</script>',
        '</title><img src=x onerror=alert(1)>',
        '" onmouseover="alert(1)',
        "' onfocus='alert(1)",
        '--></style></td></table>',
        '&lt;b&gt;&#60;',
        '\u0000<\u202e>',
      ),
      fc.string({ unit: 'binary' }),
    )
    const tags = (text: string) => text.match(/<\/?[a-zA-Z!][^>]*>/g)
    const of = (value: string) => {
      const { stretches } = RECORDING
      const incidents = happened(value, 0)(NONE)
      return page(
        {
          ...FACTS,
          title: value,
          isComplete: false,
          summary: value,
          reason: value,
          query: [[value, value]],
          counts: [[value, value]],
          files: [{ name: value, sha256: value }],
          version: value,
        },
        { ...RECORDING, stretches, incidents, limit: { name: value, perSecond: 20 } },
      )
    }
    const harmless = tags(of('x'))
    fc.assert(
      fc.property(nasty, (value) => {
        fc.pre(value !== '')
        expect(tags(of(value))).toEqual(harmless)
      }),
    )
  })

  it('can be read without seeing it', () => {
    const text = page(FACTS, RECORDING)
    expect(text).toContain('<html lang="en">')
    const ids = Array.from(text.matchAll(/\sid="([^"]+)"/g), ([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const named = Array.from(text.matchAll(/aria-labelledby="([^"]+)"/g), ([, id = '']) =>
      id.split(' '),
    )
    expect(named.length).toBeGreaterThan(8)
    for (const id of named.flat()) expect(ids).toContain(id)
    expect(text.match(/<h1>/g)).toHaveLength(1)
    expect(text.match(/<figure/g)).toHaveLength(5)
    expect(text.match(/role="img"/g)).toHaveLength(5)
    expect(text).toContain('<th scope="row">0:00–0:01</th><td class="n">2,000</td>')
  })
})
