/** State of an unknown version is not written over: status 2, and the way out. */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Listening, listen, sandboxCredentials } from '../../src/sandbox/index.js'
import { cli, folder } from './support.js'

const file = await folder()

let sandbox: Listening | undefined
beforeAll(async () => {
  sandbox = await listen({ charges: 5, limits: false })
})
afterAll(() => sandbox?.close())

const run = (...args: ReadonlyArray<string>) =>
  cli([
    ...args,
    ...['--base-url', `${sandbox?.url}`, '--no-limits', '--progress', 'none'],
    ...['--client-id', sandboxCredentials.clientId, '--api-key', sandboxCredentials.apiKey],
  ])

const CHECKPOINT = '{"version":4,"fence":1,"renewals":0,"state":{},"sum":"x"}\n'
const MANIFEST = '{"version":3,"key":"id","runs":[],"sum":"x"}\n'

it('a checkpoint of a file', async () => {
  const out = file('charges.ndjson')
  await writeFile(`${out}.checkpoint.json`, CHECKPOINT)
  const { status, stderr } = await run('export', 'charges', '--out', out, '--resume')
  expect(status).toBe(2)
  expect(stderr).toContain('has version 4')
  expect(stderr).toContain('finish the run with the release that wrote it, or start over')
  expect(await readFile(`${out}.checkpoint.json`, 'utf8')).toBe(CHECKPOINT)
})

it('a manifest of a file is replaced only with --restart', async () => {
  const out = file('whole.ndjson')
  await writeFile(out, '{}\n')
  await writeFile(`${out}.manifest.json`, MANIFEST)
  const { status, stderr } = await run('export', 'charges', '--out', out)
  expect(status).toBe(2)
  expect(stderr).toContain('--restart')
  expect(await readFile(out, 'utf8')).toBe('{}\n')
})

it.each([
  ['_checkpoint.json', CHECKPOINT],
  ['_manifest.json', MANIFEST],
])('a folder with its %s', async (name, text) => {
  for (const command of ['export', 'sync'] as const) {
    const out = `${file(`${command}-${name}`)}/`
    await mkdir(out)
    await writeFile(`${out}${name}`, text)
    const to = command === 'export' ? ['export', 'charges', '--out', out] : ['sync', 'charges', out]
    const { status, stderr } = await run(...to)
    expect(status).toBe(2)
    expect(stderr).toContain(`${out}${name} has `)
    expect(stderr).toMatch(/has version [34], but this release of payments-rx/)
    expect(await readdir(out)).toEqual([name])
    expect(await readFile(`${out}${name}`, 'utf8')).toBe(text)
  }
})

it('the state of a table', async () => {
  const to = file('charges.sqlite')
  expect((await run('sync', 'charges', to)).status).toBe(0)
  const db = new DatabaseSync(to)
  db.prepare('update payments_rx_state set text = ?').run(CHECKPOINT)
  db.close()
  const { status, stderr } = await run('sync', 'charges', to)
  expect(status).toBe(2)
  expect(stderr).toContain('finish the run with the release that wrote it, or start over')
})
