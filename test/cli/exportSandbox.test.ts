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
})
