/**
 * `npm run test:bundlers`: packs the built package, and installs it with the usual bundlers but without its optional peers.
 * Then runs a program for each entry: bundled by each bundler, traced by `@vercel/nft`, and served by Next. Installs some 500
 * MB from the npm registry into a temporary folder, and builds one at a time.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../bench/services/startServer.ts'
import { entrySources } from './surface.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const project = mkdtempSync(join(tmpdir(), 'payments-rx-bundlers-'))

/** Installed only in that folder; package-lock.json lists none of them. */
const TOOLS = {
  '@rollup/plugin-commonjs': '29.0.3',
  '@rollup/plugin-node-resolve': '16.0.3',
  '@vercel/nft': '1.11.5',
  esbuild: '0.28.2',
  next: '16.4.6',
  react: '19.3.1',
  'react-dom': '19.3.1',
  rollup: '4.68.8',
  vite: '8.4.0',
  webpack: '5.113.0',
}

// programs

interface Program {
  /** A module that exports `run`. */
  readonly code: string
  /** Beginning of the text that `run` resolves with. */
  readonly expected: string
}

/** Programs that do more than load their entry, by entry. */
const PROGRAMS: Readonly<Record<string, Program>> = {
  index: {
    code: `import { createClient, unwrap } from 'payments-rx'
const credentials = { token: async () => ({ token: 't' }) }
const client = createClient({ baseUrl: 'http://127.0.0.1:9', credentials })
export const run = () =>
  unwrap(client.reference.supportedCurrencies()).catch(({ failure }) => failure.code)`,
    expected: 'BLOCKED_PORT', // by the runtime's own fetch, through ky
  },
  webhooks: {
    code: `import { createVerifier, sign } from 'payments-rx/webhooks'
import { firstValueFrom } from 'rxjs'
const body = JSON.stringify({ id: 'e', name: 'charge.settled', data: {} })
export const run = async () => {
  const headers = await sign({ secret: 's' })({ body, timestamp: Date.now() })
  const came = await firstValueFrom(createVerifier({ secret: 'another' })({ body, headers }))
  return came.left._tag
}`,
    expected: 'Forged',
  },
  sandbox: {
    code: `import { listen } from 'payments-rx/sandbox'
export const run = async () => {
  const { url, close } = await listen({ charges: 1 })
  const { status } = await fetch(url + '/api/v1/charges')
  await close()
  return String(status)
}`,
    expected: '401',
  },
  export: {
    code: `import { tmpdir } from 'node:os'
import { createClient } from 'payments-rx'
import { exportTo, sync } from 'payments-rx/export'
import { createSandbox, sandboxCredentials } from 'payments-rx/sandbox'
import { lastValueFrom } from 'rxjs'
const { fetch } = createSandbox({ charges: 10 })
const client = createClient({ baseUrl: 'https://sandbox', credentials: sandboxCredentials, fetch })
const rows = client.charges.snapshot()
const out = tmpdir() + '/bundled-' + crypto.randomUUID() + '.parquet'
export const run = async () => {
  const exported = await lastValueFrom(exportTo(rows, { out }))
  const synced = await lastValueFrom(sync(client.charges, { to: 'postgres://127.0.0.1/none' }))
  return exported._tag + ', ' + synced.left.message
}`,
    expected: 'Right, Postgres needs two packages: npm install pg pg-copy-streams',
  },
}

/** All entries except `otel`, which is useless without its optional peer. */
const programs: ReadonlyMap<string, Program> = new Map(
  [...entrySources().keys()].flatMap((path) => {
    const name = path === '.' ? 'index' : path.slice('./'.length)
    const code = `import * as all from '${path.replace('.', 'payments-rx')}'
export const run = async () => (Object.keys(all).length > 0 ? 'loaded' : 'empty')`
    return name === 'otel' ? [] : [[name, PROGRAMS[name] ?? { code, expected: 'loaded' }]]
  }),
)

const names = [...programs.keys()]

// tools

interface Tool {
  /** Source of a program that builds `programs/NAME.main.mjs` for each of `names` for Node, with all packages included. */
  readonly build: string
  /** The file to run. */
  readonly output: (name: string) => string
}

const TOOL: Readonly<Record<string, Tool>> = {
  'esbuild, one ESM file': {
    build: `import { build } from 'esbuild'
await build({
  entryPoints: inputs, bundle: true, platform: 'node', format: 'esm',
  outdir: 'out/esbuild', outExtension: { '.js': '.mjs' },
})`,
    output: (name) => `out/esbuild/${name}.main.mjs`,
  },
  webpack: {
    build: `import { promisify } from 'node:util'
import webpack from 'webpack'
const stats = await promisify(webpack)({
  entry, mode: 'production', target: 'node22',
  output: { path: import.meta.dirname + '/out/webpack', filename: '[name].cjs' },
})
if (stats.hasErrors()) throw new Error(stats.toString({ all: false, errors: true }))`,
    output: (name) => `out/webpack/${name}.cjs`,
  },
  rollup: {
    build: `import commonjs from '@rollup/plugin-commonjs'
import nodeResolve from '@rollup/plugin-node-resolve'
import { rollup } from 'rollup'
const plugins = [nodeResolve({ exportConditions: ['node'] }), commonjs()]
const bundle = await rollup({ input: entry, plugins, onwarn: () => {} }) // optional peers stay imports
await bundle.write({ dir: 'out/rollup', format: 'esm', entryFileNames: '[name].mjs' })`,
    output: (name) => `out/rollup/${name}.mjs`,
  },
  vite: {
    build: `import { build } from 'vite'
await build({
  configFile: false, logLevel: 'error', ssr: { noExternal: true },
  build: {
    ssr: true, outDir: 'out/vite',
    rollupOptions: { input: entry, output: { entryFileNames: '[name].mjs' } },
  },
})`,
    output: (name) => `out/vite/${name}.mjs`,
  },
  '@vercel/nft': {
    build: `import { cpSync } from 'node:fs'
import { nodeFileTrace } from '@vercel/nft'
for (const [name, input] of Object.entries(entry)) {
  const { fileList } = await nodeFileTrace([input])
  for (const file of fileList) cpSync(file, 'out/nft/' + name + '/' + file)
}`,
    output: (name) => `out/nft/${name}/programs/${name}.main.mjs`,
  },
}

// results

let failed = 0

const report = (tool: string, name: string, expected: string, text: string): void => {
  const isRight = text.startsWith(expected)
  if (!isRight) failed++
  const problem = isRight ? '' : `: ${text.trim().slice(0, 2_000) || 'no output'}`
  console.log(`${isRight ? 'pass' : 'FAIL'}  ${tool}: ${name}${problem}`)
}

const node = (file: string, cwd = project): string => {
  const program = { cwd, encoding: 'utf8', timeout: 600_000 } as const
  const { stdout, stderr } = spawnSync(process.execPath, [file], program)
  return `${stdout}${stderr}`
}

const write = (file: string, text: string): void => {
  const path = join(project, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

// Node

const buildAll = (): void => {
  const entry = Object.fromEntries(names.map((name) => [name, `./programs/${name}.main.mjs`]))
  const given = `const entry = ${JSON.stringify(entry)}\nconst inputs = Object.values(entry)\n`
  for (const [tool, { build, output }] of Object.entries(TOOL)) {
    write('build.mjs', `${build.replace(/^(?!import )/m, given)}\nconsole.log('built')`)
    report(tool, 'build', 'built', node('build.mjs'))
    for (const [name, { expected }] of programs) {
      report(tool, name, expected, node(join(project, output(name)), tmpdir()))
    }
  }
}

// Next

const isUp = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  )

/** Serves an app with a route for each program. Turbopack builds it, from the files that Next has traced. */
const serveByNext = async (): Promise<void> => {
  const tool = 'Next with Turbopack, standalone'
  for (const [name, { code }] of programs) {
    write(`app/${name}/program.mjs`, code)
    write(
      `app/${name}/route.js`,
      `import { run } from './program.mjs'
export const dynamic = 'force-dynamic'
export const GET = async () => new Response(await run().catch(String))`,
    )
  }
  write('app/layout.js', 'export default ({ children }) => <html><body>{children}</body></html>')
  // named, because Next would otherwise take a lock file in a parent folder as the root
  write(
    'next.config.mjs',
    `const root = import.meta.dirname
export default { output: 'standalone', outputFileTracingRoot: root, turbopack: { root } }`,
  )
  write('build.mjs', `process.argv.push('build')\nawait import('next/dist/bin/next')`)
  const built = node('build.mjs')
  report(tool, 'build', '', built.includes('Route (app)') ? '' : built)

  const deployed = mkdtempSync(join(tmpdir(), 'payments-rx-deployed-'))
  cpSync(join(project, '.next/standalone'), deployed, { recursive: true, verbatimSymlinks: true })
  const port = await freePort()
  const server = spawn(process.execPath, [join(deployed, 'server.js')], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, PORT: String(port), HOSTNAME: '127.0.0.1' },
  })
  try {
    const url = `http://127.0.0.1:${port}`
    for (let tries = 0; tries < 300 && !(await isUp(url)); tries++) await sleep(200)
    for (const [name, { expected }] of programs) {
      report(
        tool,
        name,
        expected,
        await fetch(`${url}/${name}`).then((answer) => answer.text(), String),
      )
    }
  } finally {
    server.kill()
    rmSync(deployed, { recursive: true })
  }
}

// the project

const packageOf = (folder: string): { readonly version: string } =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

const npm = (cwd: string, ...args: ReadonlyArray<string>): void => {
  execFileSync('npm', [...args, '--ignore-scripts', '--loglevel=error'], { cwd })
}

const install = (): void => {
  npm(root, 'pack', '--pack-destination', project)
  const peers = ['rxjs', 'fp-ts', 'io-ts'].map((name) => [
    name,
    packageOf(join(root, 'node_modules', name)).version,
  ])
  const dependencies = {
    ...TOOLS,
    ...Object.fromEntries(peers),
    'payments-rx': `file:payments-rx-${packageOf(root).version}.tgz`,
  }
  write('package.json', JSON.stringify({ private: true, type: 'module', dependencies }))
  npm(project, 'install', '--no-audit', '--no-fund')
  for (const [name, { code }] of programs) {
    write(`programs/${name}.mjs`, code)
    write(
      `programs/${name}.main.mjs`,
      `import { run } from './${name}.mjs'\nrun().then(console.log, console.error)`,
    )
  }
}

process.env.NEXT_TELEMETRY_DISABLED = '1'
try {
  install()
  buildAll()
  await serveByNext()
} finally {
  rmSync(project, { recursive: true, force: true })
}
console.log(failed === 0 ? 'all pass' : `${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
