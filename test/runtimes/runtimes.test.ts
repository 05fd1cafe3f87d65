/**
 * The built package in the runtimes that the README names beside Node. A runtime that is not in `PATH` is skipped, and
 * the line at the end counts it; `.ci/run` fetches all of them.
 */
import { execFile, execFileSync, spawn } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { getRequestListener } from '@hono/node-server'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  createSandbox,
  type Listening,
  listen,
  sandboxCredentials,
} from '../../src/sandbox/index.js'
import { builtCode } from '../support/built.js'
import type { ClientResult } from './smoke/client.js'
import type { PartsResult } from './smoke/parts.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

const isInPath = (command: string): boolean => {
  try {
    execFileSync('which', [command], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Debian calls it chromium, others add to the name. */
const browser = ['chromium', 'chromium-browser', 'google-chrome'].find(isInPath)

const parts: PartsResult = { scheduled: 401, webhook: 'evt_1' }
const client: ClientResult = { charges: 12, ...parts }

/** How the scripts in `smoke` import the package; a user imports it by its name. */
const SOURCE_IMPORT = /'\.\.\/\.\.\/\.\.\/src(\/[a-z]+)?\/index\.ts'/g

let folder = ''
let sandbox: Listening | undefined

/** A project that has the package installed, beside all that this repository has. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'payments-rx-runtimes-'))
  const installed = join(folder, 'node_modules')
  mkdirSync(installed)
  for (const name of readdirSync(join(root, 'node_modules'))) {
    symlinkSync(join(root, 'node_modules', name), join(installed, name))
  }
  const dist = join(await builtCode(), 'dist')
  cpSync(dist, join(installed, 'payments-rx/dist'), { recursive: true })
  cpSync(join(root, 'package.json'), join(installed, 'payments-rx/package.json'))
  const smoke = fileURLToPath(new URL('smoke', import.meta.url))
  for (const name of readdirSync(smoke)) {
    const text = readFileSync(join(smoke, name), 'utf8')
    const installedImport = text.replace(SOURCE_IMPORT, "'payments-rx$1'")
    writeFileSync(join(folder, name), installedImport)
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  sandbox = await listen({ charges: 100 })
})

afterAll(async () => {
  await sandbox?.close()
  rmSync(folder, { recursive: true })
})

const bundle = async (file: string, conditionNames: ReadonlyArray<string>): Promise<string> => {
  const build = await rolldown({
    input: join(folder, file),
    platform: 'browser',
    external: /^node:/,
    resolve: { conditionNames: [...conditionNames, 'import', 'default'] },
    logLevel: 'silent',
  })
  const { output } = await build.generate({ format: 'esm', codeSplitting: false })
  await build.close()
  return output[0].code
}

const connection = (): readonly [url: string, clientId: string, apiKey: string] => [
  sandbox?.url ?? '',
  sandboxCredentials.clientId,
  sandboxCredentials.apiKey,
]

it.skipIf(!isInPath('bun'))('Bun: client, scheduler and webhooks', async () => {
  const { stdout } = await run('bun', ['run', 'command.ts', ...connection()], { cwd: folder })
  expect(JSON.parse(stdout)).toEqual(client)
})

it.skipIf(!isInPath('deno'))('Deno: client, scheduler and webhooks', async () => {
  const allowed = ['--allow-net', '--allow-env', '--allow-read', '--node-modules-dir=manual']
  const args = ['run', '--no-lock', '--no-check', ...allowed, 'command.ts', ...connection()]
  const { stdout } = await run('deno', args, { cwd: folder })
  expect(JSON.parse(stdout)).toEqual(client)
})

const WORKER = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker", esModule = embed "worker.js")],
      compatibilityDate = "2026-04-01",
      compatibilityFlags = ["nodejs_compat"],
    )),
    (name = "internet", network = (allow = ["local", "private", "public"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
`

it.skipIf(!isInPath('workerd'))('workerd: client, scheduler and webhooks', async () => {
  writeFileSync(join(folder, 'worker.js'), await bundle('worker.ts', ['workerd', 'worker']))
  writeFileSync(join(folder, 'worker.capnp'), WORKER)
  const child = spawn('workerd', ['serve', '--control-fd=3', 'worker.capnp'], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  })
  try {
    const port = await new Promise<number>((resolve, reject) => {
      child.on('error', reject).on('exit', (status) => reject(new Error(`status ${status}`)))
      child.stdio[3]?.on('data', (line) => resolve(JSON.parse(String(line)).port))
    })
    const [url, clientId, apiKey] = connection()
    const body = JSON.stringify({ url, clientId, apiKey })
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body })
    expect(await response.json()).toEqual(client)
  } finally {
    child.kill()
  }
})

it.skipIf(browser === undefined)('Chromium: scheduler and webhooks', async () => {
  const script = await bundle('page.ts', ['browser'])
  const platform = createSandbox({ charges: 100 })
  const files = new Map([
    ['/', { type: 'text/html', text: '<body><script type="module" src="/page.js"></script>' }],
    ['/page.js', { type: 'text/javascript', text: script }],
  ])
  const serve = (request: Request): Response | Promise<Response> => {
    const file = files.get(new URL(request.url).pathname)
    if (file === undefined) return platform.fetch(request)
    return new Response(file.text, { headers: { 'content-type': file.type } })
  }
  const server = createServer(getRequestListener(serve))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const flags = [
      ...['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${folder}/profile`],
    ]
    const page = ['--virtual-time-budget=20000', '--dump-dom', `http://127.0.0.1:${port}/`]
    const { stdout } = await run(browser ?? '', [...flags, ...page])
    expect(stdout).toContain(JSON.stringify(parts))
  } finally {
    server.close()
  }
})
