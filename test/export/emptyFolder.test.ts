/** A folder of an export without rows: readers of `folder/*.parquet` find its columns. */
import { lastValueFrom } from 'rxjs'
import { expect, it } from 'vitest'
import { formatNames } from '../../src/export/format/Format.js'
import { exportTo } from '../../src/export/index.js'
import { E } from '../../src/fp.js'
import { createClient } from '../../src/index.js'
import { createSandbox, sandboxCredentials } from '../../src/sandbox/index.js'
import { virtualTime } from '../support/idleClock.js'
import { memory } from './transfer/memory.js'

const lab = () => {
  const { timer, run } = virtualTime()
  const { fetch } = createSandbox({ charges: 0, timer, limits: false })
  const client = { baseUrl: 'https://sandbox', credentials: sandboxCredentials, fetch, timer }
  const charges = createClient(client).charges.snapshot()
  const files = memory()
  const exported = async (options: object = {}) => {
    const out = { out: '/x/charges/', files, timer, ...options }
    const event = await run(lastValueFrom(exportTo(charges, out)))
    if (E.isLeft(event)) throw event.left
    return event.right
  }
  const parts = () => files.names().filter((name) => /\/(part|run)-/.test(name))
  return { exported, files, parts }
}

it.each(formatNames)('has a file without rows: %s', async (format) => {
  const { exported, parts } = lab()
  const { run } = await exported({ format, compress: 'none' })
  expect(parts()).toEqual([`/x/charges/part-00000-001.${format}`])
  expect(run).toMatchObject({ complete: true, files: [{ rows: 0 }] })
})

it('has the columns', async () => {
  const { exported, files } = lab()
  await exported({ format: 'csv', columns: ['id', 'amount'] })
  expect(files.text('/x/charges/part-00000-001.csv')).toBe('id,amount\r\n')
})
