/** Exports against a server, and what they leave in a folder. */
import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { readManifest } from '../../src/export/transfer/Manifest.js'
import {
  CLIENT,
  type Fault,
  type Judge,
  type JudgeOptions,
  judge,
  type Seen,
} from '../support/judge.js'
import type { Page } from '../support/judgeAccount.js'
import type { Row } from '../support/judgeLists.js'
import { cli, folder, type RunOptions } from './support.js'

/** A folder and servers for one test file; the servers are closed after each test. */
export const exporting = async () => {
  const file = await folder()
  const servers: Array<Judge> = []
  beforeEach(() => mkdir(dirname(file('x')), { recursive: true }).then(() => {}))
  afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())))

  const serve = async (options: JudgeOptions): Promise<Judge> => {
    const server = await judge(options)
    servers.push(server)
    return server
  }
  return { file, serve }
}

export const KEYS = ['--client-id', CLIENT.clientId, '--api-key', CLIENT.apiKey]

/** Runs an export of the charges of a server. */
export const charges = (
  { url }: Judge,
  out: string,
  more: ReadonlyArray<string> = [],
  options: RunOptions = {},
) =>
  cli(
    [
      ...['export', 'charges', '--base-url', url, ...KEYS, '--out', out, '--page-size', '50'],
      ...(more.includes('--progress') ? more : ['--progress', 'none', ...more]),
    ],
    options,
  )

/** Changes each row of a page. */
export const rowsChanged = (change: (row: Row, index: number) => Row) => (page: Page) => ({
  ...page,
  items: page.items.map(change),
})

export const runOf = async (path: string) => readManifest(path)(await readFile(path, 'utf8')).run

/** A fault for pages from the `n`th request on, for as long as it is switched on. */
export const breaking = (
  n: number,
  fault: Fault = { status: 400, body: { code: 'invalid_argument' } },
) => {
  const state = { on: true }
  return {
    state,
    fault: ({ route, nth }: Seen): Fault | undefined =>
      state.on && route === 'GET /api/v1/charges' && nth >= n ? fault : undefined,
  }
}

/** The numbers in the ids of charges, in order. */
export const idsOf = (rows: ReadonlyArray<Record<string, unknown>>): ReadonlyArray<number> =>
  rows.map(({ id }) => Number(String(id).slice(4))).sort((a, b) => a - b)
