/** Texts that other programs cannot read, or would run: what is written in their place, and how often. */
import { lastValueFrom, map } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { formatNames } from '../../src/export/format/Format.js'
import { type ExportProgress, exportTo } from '../../src/export/index.js'
import { E } from '../../src/fp.js'
import { createClient } from '../../src/index.js'
import { virtualTime } from '../support/idleClock.js'
import { CHARGE } from '../support/lab.js'
import { memory } from './transfer/memory.js'

/** A client of a service that answers with these references, as JSON texts. */
const clientOf = (
  references: ReadonlyArray<string>,
  timer: ReturnType<typeof virtualTime>['timer'],
) => {
  const items = references.map((reference, i) =>
    JSON.stringify({ ...CHARGE, id: `chg_${i}`, reference: 'R' }).replace('"R"', `"${reference}"`),
  )
  return createClient({
    baseUrl: 'https://payments.example',
    credentials: { token: async () => ({ token: 't', expiresAt: new Date('2100-01-01') }) },
    fetch: async () => new Response(`{"has_more":false,"items":[${items.join(',')}]}`),
    timer,
  })
}

const exported = async (
  references: ReadonlyArray<string>,
  out: string,
  options: {
    readonly formulas?: 'mask' | 'keep'
    readonly columns?: ReadonlyArray<string>
    readonly compress?: 'none'
  } = {},
): Promise<{ readonly progress: ExportProgress; readonly text: string }> => {
  const { timer, run } = virtualTime()
  const files = memory()
  const list = clientOf(references, timer).charges.list()
  const events = exportTo(list, { out, files, timer, ...options })
  const event = await run(lastValueFrom(events))
  if (E.isLeft(event)) throw event.left
  return { progress: event.right, text: files.text(out) }
}

/** Half of a pair, in either case; a pair; a backslash before what looks like a half. */
const CUT = ['cut \\ud83d here', 'cut \\uDE00', 'whole \\ud83d\\ude00', 'not \\\\ud83d']

describe('half of a surrogate pair', () => {
  it('is U+FFFD in rows that are copied, and all else is as it came', async () => {
    const { progress, text } = await exported(CUT, '/x/charges.ndjson')
    expect(progress).toMatchObject({ rows: 4, loneSurrogates: 2 })
    const references = text.split('\n').map((line) => /"reference":"([^"]*)"/.exec(line)?.[1])
    expect(references.slice(0, 4)).toEqual(['cut \ufffd here', 'cut \ufffd', ...CUT.slice(2)])
  })

  it.each(formatNames)('is counted in %s', async (format) => {
    for (const columns of [undefined, ['id', 'reference']]) {
      const options = columns === undefined ? {} : { columns }
      const { progress, text } = await exported(CUT, `/x/charges.${format}`, {
        compress: 'none',
        ...options,
      })
      expect(progress).toMatchObject({ rows: 4, rejects: 0, loneSurrogates: 2 })
      expect(text).toContain('cut \ufffd here')
    }
  })

  it('is not mentioned where there is none', async () => {
    const { progress } = await exported(CUT.slice(2), '/x/charges.ndjson')
    expect(progress).not.toHaveProperty('loneSurrogates')
  })
})

/** First characters of texts that are taken for formulas. */
const FORMULAS = ['=1+1', '+1', '-1', '@a', '\\t=1', '\\r=1', '\\n=1', '\\u0000=1', '\uff1d1']

describe('a text that a spreadsheet would run', () => {
  it.each(['keep', 'mask'] as const)('is counted (formulas: %s)', async (formulas) => {
    const { progress } = await exported(['fine', ...FORMULAS], '/x/charges.csv', { formulas })
    expect(progress).toMatchObject({ rows: 10, formulas: 9 })
  })

  it('stays as it is by default, and is masked when asked to', async () => {
    const columns = ['id', 'reference']
    const kept = await exported(FORMULAS, '/x/charges.csv', { columns })
    expect(kept.text).not.toContain("'")
    const masked = await exported(FORMULAS, '/x/charges.csv', { columns, formulas: 'mask' })
    const cells = masked.text.split(/chg_\d,/).slice(1)
    expect(cells).toHaveLength(9)
    for (const cell of cells) expect(cell).toMatch(/^"?'/)
  })

  it('is counted anew by each subscription', async () => {
    const { timer, run } = virtualTime()
    const list = clientOf(['=1'], timer).charges.list()
    const out = { out: '/x/a.csv', files: memory(), timer, restart: true }
    const counts = exportTo(list, out).pipe(
      map((event) => E.isRight(event) && event.right.formulas),
    )
    expect(await run(lastValueFrom(counts))).toBe(1)
    expect(await run(lastValueFrom(counts))).toBe(1)
  })
})
