import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { cli, folder, rowsOf } from './support.js'

const file = await folder()

describe('the embedded sandbox', () => {
  it('is read to its last row', async () => {
    const out = file('charges.ndjson')
    const { status, stderr } = await cli([
      'export',
      'charges',
      '--sandbox',
      '--rows',
      '2500',
      '--out',
      out,
    ])
    expect(status).toBe(0)
    expect(stderr).toContain('complete: 2,500 rows')
    expect(stderr).toMatch(/\nnext: .*npx payments-rx export charges --help\n$/)
    expect(new Set((await rowsOf(out)).map(({ id }) => id)).size).toBe(2_500)
  })

  it('answers whatever comes with --no-limits, and no quota is told', async () => {
    const out = file('unlimited.ndjson')
    const pages = ['--rows', '600', '--page-size', '10']
    const args = ['export', 'charges', '--sandbox', '--no-limits', ...pages, '--out', out]
    const { status, stderr } = await cli([...args, '--progress', 'json'])
    expect(status).toBe(0)
    expect((await rowsOf(out)).length).toBe(600)
    const last: unknown = JSON.parse(stderr.trim().split('\n').at(-1) ?? '')
    expect(last).toMatchObject({ rows: 600, refused: 0, quota: null })
    const manifest: unknown = JSON.parse(await readFile(`${out}.manifest.json`, 'utf8'))
    expect(manifest).not.toHaveProperty('runs[0].quota')
  })
})
