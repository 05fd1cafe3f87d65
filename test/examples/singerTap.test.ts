/** The example of a Singer tap, as a process: a target upserts its records, and hands its last STATE to the next run. */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Ajv } from 'ajv'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { typeStripping } from '../../bench/services/typeStripping.js'
import { createSandbox, type Sandbox, sandboxCredentials } from '../../src/sandbox/index.js'

const ROOT = join(import.meta.dirname, '../..')
const EXAMPLE = join(ROOT, 'docs/examples/singerTap.ts')
const CHARGES = 4_500

const home = mkdtempSync(join(tmpdir(), 'payments-rx-singer-'))

/** No double has these digits. */
const DIGITS = '1234567890123.4500'

let sandbox: Sandbox
let change = (text: string): string => text

const server = createServer(async (request, response) => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  const { method = 'GET', url = '' } = request
  const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined
  const headers = new Headers(Object.entries(request.headers).map(([k, v]) => [k, String(v)]))
  const init = { method, headers, ...(body && { body }) }
  const answer = await sandbox.fetch(new Request(`https://sandbox${url}`, init))
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  response.end(change(await answer.text()))
})

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  server.close()
  rmSync(home, { recursive: true })
})

/** Runs the tap until it ends, or is killed after so many lines. Returns the lines that came out whole. */
const tap = (state: string, killAfter?: number) =>
  new Promise<{ readonly status: number | null; readonly lines: ReadonlyArray<string> }>(
    (resolve) => {
      const { port } = server.address() as AddressInfo // it listens on one
      const child = spawn(
        process.execPath,
        [...typeStripping, EXAMPLE, '--config', 'config.json', '--state', state],
        {
          cwd: ROOT,
          env: {
            ...process.env,
            PAYMENTS_BASE_URL: `http://127.0.0.1:${port}`,
            PAYMENTS_CLIENT_ID: sandboxCredentials.clientId,
            PAYMENTS_API_KEY: sandboxCredentials.apiKey,
          },
          stdio: ['ignore', 'pipe', 'inherit'],
        },
      )
      const lines: Array<string> = []
      createInterface({ input: child.stdout }).on('line', (line) => {
        lines.push(line)
        if (lines.length === killAfter) child.kill('SIGKILL')
      })
      child.on('close', (status) => {
        if (killAfter !== undefined) lines.pop() // it may be cut off
        resolve({ status, lines })
      })
    },
  )

const parsed = (lines: ReadonlyArray<string>) => lines.map((line) => JSON.parse(line))

it('writes SCHEMA, RECORDs with exact digits, STATEs after them; killed, it goes on', async () => {
  sandbox = createSandbox({ charges: CHARGES, limits: false, seed: 7 })
  change = (text) => text.replace(/"amount":[\d.]+/, `"amount":${DIGITS}`)
  const file = join(home, 'state.json')
  const written = new Map<string, string>()
  const run = async (killAfter?: number) => {
    const { status, lines } = await tap(file, killAfter)
    for (const line of lines) {
      const { type, record, value } = JSON.parse(line)
      if (type === 'RECORD') written.set(record.id, line)
      if (type === 'STATE') writeFileSync(file, JSON.stringify(value))
    }
    return { status, messages: parsed(lines) }
  }
  const killed = await run(2_200)
  expect(written.size).toBeLessThan(CHARGES)
  const rest = await run()
  expect(rest.status).toBe(0)
  expect(written.size).toBe(CHARGES)
  expect(rest.messages.length).toBeLessThan(CHARGES) // it did not begin anew
  expect([...written.values()].some((line) => line.includes(`"amount":${DIGITS},`))).toBe(true)

  const [schema] = killed.messages
  const date = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
  const ajv = new Ajv({ strict: false, multipleOfPrecision: 6, formats: { 'date-time': date } })
  const isValid = ajv.compile(schema.schema)
  expect(schema).toMatchObject({ type: 'SCHEMA', stream: 'charges', key_properties: ['id'] })
  const records = rest.messages.filter(({ type }) => type === 'RECORD')
  expect(records.filter(({ record }) => !isValid(record))).toEqual([])
  expect(rest.messages.at(-1).type).toBe('STATE')

  // the next night reads a week again, by the times of the rows
  const next = await run()
  const ids = next.messages.flatMap(({ type, record }) => (type === 'RECORD' ? [record] : []))
  const newest = Math.max(...records.map(({ record }) => Date.parse(record.created_at)))
  for (const { created_at } of ids) {
    expect(Date.parse(created_at)).toBeGreaterThanOrEqual(newest - 7 * 86_400_000 - 1_000)
  }
})

it('leaves out a row that does not decode, and ends with status 1', async () => {
  const faults = ({ route, nth }: { readonly route: string; readonly nth: number }) =>
    route === 'GET /api/v1/charges' && nth === 1 ? ('malformed-row' as const) : undefined
  sandbox = createSandbox({ charges: 20, limits: false, faults })
  change = (text) => text
  const { status, lines } = await tap(join(home, 'none.json'))
  const records = parsed(lines).filter(({ type }) => type === 'RECORD')
  expect([status, records.length]).toEqual([1, 19])
})

it('is at most 80 lines', () => {
  expect(readFileSync(EXAMPLE, 'utf8').split('\n').length).toBeLessThanOrEqual(81)
})
