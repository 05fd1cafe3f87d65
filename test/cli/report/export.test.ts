import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { listen } from '../../../src/sandbox/index.js'
import { expectNoSecret, secrets } from '../../support/secrets.js'
import { cli } from '../support.js'

const folder = await mkdtemp(join(tmpdir(), 'payments-rx-'))
afterAll(() => rm(folder, { recursive: true }))
const file = (name: string): string => join(folder, name)

it('an export writes JSON progress, and its report', async () => {
  const { status, stderr } = await cli([
    ...['export', 'charges', '--sandbox', '--rows', '5000', '--page-size', '50'],
    ...['--out', file('charges.ndjson'), '--report', file('report.html'), '--progress', 'json'],
  ])
  expect(status).toBe(0)
  const records = stderr
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
  expect(records.at(-1)).toMatchObject({ type: 'end', status: 0, rows: 5_000, share: 1 })
  for (const { type } of records) expect(['progress', 'message', 'end']).toContain(type)
  const report = await readFile(file('report.html'), 'utf8')
  expect(report).toContain('<h1 class="outcome good">Complete: 5,000 rows</h1>')
  expect(report).toContain('complete: 5,000 rows')
})

it('a report of a run that failed says why, and shows no secret', async () => {
  const server = await listen({ credentials: [{ clientId: 'me', apiKey: secrets.apiKey }] })
  try {
    const { status, stderr } = await cli(
      [
        ...['export', 'charges', '--status', 'SETTLED', '--source', '</script><b>'],
        ...['--out', file('failed.ndjson'), '--report', file('failed.html')],
      ],
      {
        env: {
          PAYMENTS_BASE_URL: server.url,
          PAYMENTS_CLIENT_ID: 'me',
          PAYMENTS_API_KEY: `${secrets.apiKey}x`,
        },
      },
    )
    const report = await readFile(file('failed.html'), 'utf8')
    expect(status).toBe(2)
    expect(report).toMatch(/class="outcome bad">.*401/)
    expect(report).toContain('&lt;/script&gt;&lt;b&gt;')
    for (const text of [report, stderr]) expectNoSecret(text)
  } finally {
    await server.close()
  }
})

it('a report that cannot be written is refused before anything is sent', async () => {
  const { status, stderr } = await cli([
    ...['export', 'charges', '--sandbox', '--out', file('none.ndjson')],
    ...['--report', file('no/such/folder/report.html')],
  ])
  expect(status).toBe(2)
  expect(stderr).toMatch(/^payments-rx: --report: .* should be a folder that can be written to\n$/)
})
