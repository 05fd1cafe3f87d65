/** The commands of the pages on object storage, run as they stand there, against the double of S3. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type S3Double, s3Double } from '../../bench/services/s3Double.js'
import { type Listening, listen, sandboxCredentials } from '../../src/sandbox/index.js'
import { duckdb } from '../export/reading.js'
import { cli, folder } from './support.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = (name: string): string => readFileSync(join(root, 'docs', name), 'utf8')

const commandsIn = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from(text.matchAll(/npx payments-rx ([^|>`\n]*)/g), ([, words = '']) =>
    words.trim().split(/\s+/),
  )

const file = await folder()
let sandbox: Listening
let double: S3Double
beforeAll(async () => {
  sandbox = await listen({ charges: 50, limits: false })
  double = await s3Double({ buckets: ['my-bucket'] })
})
afterAll(async () => {
  await sandbox.close()
  await double.close()
})

const variables = () => ({
  ...double.env,
  PAYMENTS_BASE_URL: sandbox.url,
  PAYMENTS_CLIENT_ID: sandboxCredentials.clientId,
  PAYMENTS_API_KEY: sandboxCredentials.apiKey,
})

it('object storage: each command succeeds, and DuckDB loads what is there', async () => {
  const text = page('object-storage.md')
  const commands = commandsIn(text)
  expect(commands.map(([name]) => name)).toEqual(['sync', 'export', 'export', 'verify'])
  for (const args of commands) {
    const { status, stderr } = await cli(args, { env: variables() })
    expect([args, status, stderr]).toEqual([args, 0, expect.anything()])
  }

  mkdirSync(file('charges'), { recursive: true })
  for (const [key, bytes] of double.objects) {
    if (key.startsWith('my-bucket/charges/')) writeFileSync(file(`charges/${basename(key)}`), bytes)
  }
  const [, statement = ''] = /DuckDB:\n\n```sql\n(.*?)```/s.exec(text) ?? []
  const sql = await duckdb()
  const select = statement.slice(statement.indexOf('SELECT')).replace(/;\s*$/, '')
  const rows = await sql(select.replace('s3://my-bucket', file('.')))
  expect(rows.length).toBe(50)
})
