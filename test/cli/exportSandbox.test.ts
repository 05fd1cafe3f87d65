import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { cli, folder, rowsOf } from './support.js'

const file = await folder()

describe('the embedded sandbox', () => {
  it('is read to its last row, also for a connected account', async () => {
    const out = file('charges.ndjson')
    const { status, stderr } = await cli([
      ...['export', 'charges', '--sandbox', '--rows', '2500', '--out', out],
      ...['--on-behalf-of', 'acct_1'],
    ])
    expect(status).toBe(0)
    expect(stderr).toContain('client id ...box, account acct_1\n')
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
    expect(manifest).not.toHaveProperty('run.quota')
  })

  it.each([
    [
      ['charges', '--rows', '20'],
      ['PAYMENTS_CLIENT_ID', 'PAYMENTS_API_KEY'],
    ],
    [['partner-webhooks'], ['PAYMENTS_PARTNER_ID', 'PAYMENTS_PARTNER_SECRET']],
  ])('says what an account needs in its place, all of it and no more: %j', async (args, keys) => {
    const command = ['export', ...args]
    const { stderr } = await cli([...command, '--sandbox'])
    const next = /\nnext: set your own (.*), and drop --sandbox;/.exec(stderr)?.[1] ?? ''
    const names = next.match(/PAYMENTS_\w+/g) ?? []
    expect(names).toEqual(['PAYMENTS_BASE_URL', ...keys])
    const env = Object.fromEntries(names.map((name) => [name, 'text']))
    const real = command.filter((word) => word !== '--rows' && word !== '20')
    for (const name of names) {
      const { stderr } = await cli(real, { env: { ...env, [name]: '' } })
      expect(stderr).toContain(`${name} is required`)
    }
    expect((await cli(real, { env })).stderr).toContain('PAYMENTS_BASE_URL should be')
  })

  it('names the filters that no charge matches', async () => {
    const filters = ['--from', '2024-03-01', '--status', 'FAILED']
    const { stderr } = await cli(['export', 'charges', '--sandbox', '--rows', '20', ...filters])
    expect(stderr).toContain(
      '\nno row matches from_created_at=2024-03-01T00:00:00+0000, status=FAILED\ncomplete: 0 rows',
    )
  })
})

describe('batches of the embedded sandbox', () => {
  const rowsFrom = async (...args: ReadonlyArray<string>) => {
    const { status, stdout } = await cli(['export', ...args, '--sandbox', '--quiet'])
    const lines = stdout.trim().split('\n')
    return { status, rows: lines.map((line): { readonly id: string } => JSON.parse(line)) }
  }

  it('are there, as many as --rows says, each with its items', async () => {
    expect(await rowsFrom('batch-transfers')).toMatchObject({ status: 0, rows: { length: 100 } })
    const { rows } = await rowsFrom('batch-transfers', '--rows', '120')
    expect(rows).toHaveLength(120)
    const items = ['batch-items', '--batch', rows.at(-1)?.id ?? '']
    expect((await rowsFrom(...items, '--rows', '120')).rows.length).toBeGreaterThan(0)
    expect((await cli(['export', ...items, '--sandbox'])).stderr).toContain('404 not_found')
  })

  it('are told of in the help', async () => {
    const helpOf = async (name: string) => (await cli(['export', name, '--help'])).stdout
    expect(await helpOf('charges')).toMatch(/--rows <n> +number of charges in that sandbox/)
    expect(await helpOf('batch-items')).toMatch(/--rows <n> +number of batches in that sandbox/)
    expect(await helpOf('webhooks')).not.toContain('--rows')
  })
})
