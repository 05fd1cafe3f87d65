/** Payments in files, against a sandbox with a port. */
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll } from 'vitest'
import { createSandbox, listen, type Sandbox, sandboxCredentials } from '../../src/sandbox/index.js'
import { cli, folder, type RunOptions } from './support.js'

export const COLUMNS =
  'reason,reference,source_currency,transfer_currency,transfer_method,transfer_amount,beneficiary_id'

/** An answer of the sandbox: an error, or a batch or its items, of which these fields are changed. */
export interface Reply {
  readonly status: number
  readonly json: {
    readonly code?: string
    readonly message?: string
    readonly items?: ReadonlyArray<object>
    readonly request_id?: string
    readonly quote_summary?: {
      expires_at: string
      readonly last_quoted_at: string
      readonly quotes: ReadonlyArray<{ amount_payer_pays: number }>
    } | null
  }
}

/** Has some answers of a sandbox changed while `work` is done. */
export const changed = async (
  { fetch }: Sandbox,
  change: (url: string, ask: () => Promise<Reply>) => Promise<Reply>,
  work: (url: string) => Promise<void>,
): Promise<void> => {
  const http = createServer(async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = 'GET', headers } = request
    const url = `https://sandbox${request.url}`
    const body = Buffer.concat(chunks).toString()
    const init = { method, headers: headers as Record<string, string> }
    const answer = await change(url, async () => {
      const sent = await fetch(url, { ...init, ...(body === '' ? {} : { body }) })
      return { status: sent.status, json: await sent.json() }
    })
    response.writeHead(answer.status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer.json))
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  try {
    await work(`http://127.0.0.1:${port}`)
  } finally {
    http.close()
    http.closeAllConnections()
  }
}

/** A folder and a sandbox for one test file. */
export const paying = async () => {
  const at = await folder()
  const sandbox = createSandbox({ charges: 0, limits: false, bookEvery: 1, fundAfter: 1 })
  const { url, close } = await listen(sandbox)
  afterAll(close)
  const env = {
    PAYMENTS_BASE_URL: url,
    PAYMENTS_CLIENT_ID: sandboxCredentials.clientId,
    PAYMENTS_API_KEY: sandboxCredentials.apiKey,
  }
  let runs = 0
  const row = (n: number, reference = `Pay ${n} of ${runs}`, amount = `${100 + n}.10`): string =>
    `wages_salary,${reference},USD,USD,LOCAL,${amount},ben_${n}`
  return {
    ...{ at, env, sandbox, row },
    /** A run of its own for each test, with payments of its own: the sandbox is one, and repeats are held back. */
    newRun: (): string => `run-${++runs}`,
    pay: (args: ReadonlyArray<string>, options: RunOptions = {}) =>
      cli(['pay', ...args, '--no-limits'], { env, ...options }),
    wages: (count: number): ReadonlyArray<string> =>
      Array.from({ length: count }, (_, n) => row(n)),
    csv: async (name: string, rows: ReadonlyArray<string>, header = COLUMNS): Promise<string> => {
      await writeFile(at(name), [header, ...rows, ''].join('\n'))
      return at(name)
    },
  }
}
