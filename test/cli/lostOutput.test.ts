/** Lines for stdout that cannot be written. */
import { appendFile, mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Writable } from 'node:stream'
import { of } from 'rxjs'
import { beforeEach, describe, expect, it } from 'vitest'
import { cli, folder, type RunOptions } from './support.js'

const file = await folder()
beforeEach(() => mkdir(dirname(file('x')), { recursive: true }).then(() => {}))

/** A stdout that takes nothing. */
const failing = (code: string) =>
  new Writable({
    write: (_chunk, _encoding, done) =>
      done(Object.assign(new Error(`${code}: no space left on device, write`), { code })),
  }).on('error', () => {})

const LOST = 'payments-rx: cannot write stdout: ENOSPC: no space left on device, write\n'

describe.each<[string, ReadonlyArray<string>, RunOptions?]>([
  ['doctor', ['doctor', '--sandbox', '--json']],
  ['a page of help', ['export', 'charges', '--help']],
  ['the version', ['--version']],
  ['a sandbox', ['sandbox'], { signals: of('SIGTERM') }],
])('%s', (_, args, options) => {
  it('that cannot be written is reported, with status 1', async () => {
    const told = await cli(args, { stdout: failing('ENOSPC'), ...options })
    expect(told).toMatchObject({ status: 1, stderr: LOST })
  })

  it('to a closed pipe is no failure', async () => {
    const told = await cli(args, { stdout: failing('EPIPE'), ...options })
    expect(told).toMatchObject({ status: 0, stderr: '' })
  })
})

it('a sandbox ends when its address cannot be printed', async () => {
  const told = await cli(['sandbox'], { stdout: failing('ENOSPC') })
  expect(told).toMatchObject({ status: 1, stderr: LOST })
})

it('verify reports that its findings were lost', async () => {
  const out = file('c.ndjson')
  await cli(['export', 'charges', '--sandbox', '--rows', '20', '--quiet', '--out', out])
  for (const _ of ['as it should be', 'changed']) {
    const told = await cli(['verify', out], { stdout: failing('ENOSPC') })
    expect(told).toMatchObject({ status: 1, stderr: LOST })
    await appendFile(out, 'more')
  }
})

it('rows that cannot be written are reported once', async () => {
  const args = ['export', 'charges', '--sandbox', '--rows', '20', '--quiet']
  const { status, stderr } = await cli(args, { stdout: failing('ENOSPC') })
  expect(stderr).toBe(
    'payments-rx: cannot write stdout: ENOSPC: no space left on device, write: free some space\n',
  )
  expect(status).toBe(2)
})

it.each([
  ['call', ['call', 'charges.list', '--sandbox']],
  ['follow', ['follow', 'charges', '--sandbox', '--rows', '20', '--no-limits', '--quiet']],
])('rows of %s end it when no more are taken', async (_, args) => {
  const closed = await cli(args, { stdout: failing('EPIPE') })
  expect(closed).toMatchObject({ status: 141, stderr: '' })
  const full = await cli(args, { stdout: failing('ENOSPC') })
  expect(full).toMatchObject({ status: 1, stderr: 'payments-rx: cannot write stdout: ENOSPC\n' })
})

it.each(['EPIPE', 'ENOSPC'])('a lost answer of a write by call is status 4: %s', async (code) => {
  const create = ['call', 'batchTransfers.create', 'request_id=lost-1', '--sandbox']
  const { status, stderr } = await cli(create, { stdout: failing(code) })
  expect(status).toBe(4)
  expect(stderr).toContain('the call was made, but its response could not be printed')
})
