/**
 * Every example of the documentation compiles and runs. They are compiled as a reader's project would
 * be, against the package as it is built now, and run against a sandbox. A block that is marked
 * `ts no-run` is compiled only; one without an import is an excerpt, and is named as such. What one that
 * is marked `ts prints` says beside each `console.log` is what comes out, line by line.
 */
import { execFile } from 'node:child_process'
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
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPackage } from '../scripts/build.js'
import * as benches from '../src/bench/index.js'
import * as decode from '../src/decode/index.js'
import * as files from '../src/export/index.js'
import * as main from '../src/index.js'
import * as otel from '../src/otel/index.js'
import * as quota from '../src/quota/index.js'
import * as sandboxes from '../src/sandbox/index.js'
import { type Listening, listen, sandboxCredentials } from '../src/sandbox/index.js'
import * as scheduler from '../src/scheduler/index.js'
import * as observableEither from '../src/stream/either/index.js'
import * as stream from '../src/stream/index.js'
import * as webhooks from '../src/webhooks/index.js'

const root = fileURLToPath(new URL('..', import.meta.url))

// the blocks

interface Block {
  /** Such as `docs/limits.md:5`. */
  readonly name: string
  /** The file that it becomes. */
  readonly file: string
  readonly text: string
  readonly kind: 'runs' | 'compiles' | 'excerpt'
  /** What it prints, if that is said. */
  readonly prints?: ReadonlyArray<string>
}

/** What stands beside each `console.log`. */
const printed = (body: string): ReadonlyArray<string> =>
  Array.from(body.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm), ([, line = '']) => line)

const FENCE = /^```ts([^\n]*)\n([\s\S]*?)^```/gm

const documents: ReadonlyArray<string> = [
  'README.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
].sort()

/** Pages of the reference: the blocks of one are one program. */
const references: ReadonlyArray<string> = readdirSync(join(root, 'docs/reference'))
  .map((name) => `docs/reference/${name}`)
  .sort()

const ownBlocks: ReadonlyArray<Block> = documents.flatMap((document) => {
  const text = readFileSync(join(root, document), 'utf8')
  return Array.from(text.matchAll(FENCE), ([, mark = '', body = ''], index): Block => {
    const at = [...text.matchAll(FENCE)][index]?.index ?? 0
    const line = text.slice(0, at).split('\n').length
    return {
      name: `${document}:${line}`,
      file: `${document.replace(/\W+/g, '_')}_${line}`,
      text: body,
      ...(mark.includes('prints') ? { prints: printed(body) } : {}),
      kind: !/^import\b/m.test(body) ? 'excerpt' : mark.includes('no-run') ? 'compiles' : 'runs',
    }
  })
})

const programs: ReadonlyArray<Block> = references.flatMap((page) => {
  const found = [...readFileSync(join(root, page), 'utf8').matchAll(FENCE)]
  const text = found.map(([, , body = '']) => body).join('\n')
  return text === ''
    ? []
    : [{ name: page, file: page.replace(/\W+/g, '_'), text, kind: 'runs', prints: printed(text) }]
})

const blocks: ReadonlyArray<Block> = [...ownBlocks, ...programs]

const of = (...kinds: ReadonlyArray<Block['kind']>): ReadonlyArray<Block> =>
  blocks.filter(({ kind }) => kinds.includes(kind))

// the reader's project

interface Ended {
  readonly code: number
  readonly output: string
}

const run = (
  command: string,
  args: ReadonlyArray<string>,
  cwd: string,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Ended> =>
  new Promise((resolve) => {
    execFile(command, args, { cwd, env, timeout: 50_000 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      resolve({ code, output: stdout + stderr })
    })
  })

const tsc = (...args: ReadonlyArray<string>) =>
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...args], root)

/** The installed packages, and this one beside them, as a reader would have them. */
const install = async (project: string): Promise<void> => {
  const modules = join(root, 'node_modules')
  const names = readdirSync(modules).flatMap((name) =>
    name.startsWith('@')
      ? readdirSync(join(modules, name)).map((part) => `${name}/${part}`)
      : [name],
  )
  for (const name of names.filter((name) => !name.startsWith('.') && name !== 'payments-rx')) {
    mkdirSync(dirname(join(project, 'node_modules', name)), { recursive: true })
    symlinkSync(join(modules, name), join(project, 'node_modules', name))
  }
  const self = join(project, 'node_modules/payments-rx')
  mkdirSync(self)
  cpSync(join(root, 'package.json'), join(self, 'package.json'))
  await buildPackage(join(self, 'dist'))
}

const config = {
  extends: join(root, 'tsconfig.json'),
  compilerOptions: {
    noEmit: false,
    outDir: 'out',
    declaration: true, // whatever a reader exports has a type that can be named
    rootDir: '.',
    allowImportingTsExtensions: false,
    noUnusedLocals: false,
    noUnusedParameters: false,
    typeRoots: [join(root, 'node_modules/@types')],
  },
  include: ['*.ts'],
}

// what the package has

/** All of it, exported again: as it is, and given away by a function. */
const again = (module: string, names: ReadonlyArray<string>): string =>
  [
    `import * as all from '${module}'`,
    ...names.map((name) => `export const ${name}Again = all.${name}`), // `let` is a name of one
    ...names.map((name) => `export const ${name}Of = () => all.${name}`),
  ].join('\n')

const entries = {
  '.': main,
  bench: benches,
  decode,
  export: files,
  otel,
  quota,
  ObservableEither: observableEither,
  sandbox: sandboxes,
  scheduler,
  stream,
  webhooks,
}

const everything = Object.entries(entries).map(([entry, names]) => ({
  entry: entry === '.' ? 'payments-rx' : `payments-rx/${entry}`,
  file: `all_${entry === '.' ? 'main' : entry}`,
  names: Object.keys(names),
}))

// the tests

let project = ''
let sandbox: Listening | undefined
let complaints = ''

beforeAll(async () => {
  project = mkdtempSync(join(tmpdir(), 'payments-rx-docs-'))
  await install(project)
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'reader', type: 'module' }))
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config))
  for (const { file, text } of of('runs', 'compiles')) {
    writeFileSync(join(project, `${file}.ts`), text.replaceAll(/^const /gm, 'export const '))
  }
  for (const { entry, file, names } of everything) {
    writeFileSync(join(project, `${file}.ts`), again(entry, names))
  }
  complaints = (await tsc('-p', join(project, 'tsconfig.json'), '--pretty', 'false')).output
  sandbox = await listen({ charges: 5_000, limits: false })
})

afterAll(async () => {
  await sandbox?.close()
  rmSync(project, { recursive: true, force: true })
})

/** What the compiler says of a file of the reader's. */
const said = (file: string): ReadonlyArray<string> =>
  complaints.split('\n').filter((line) => line.includes(`${file}.ts`))

it.each(everything)('all of $entry can be exported again', ({ file, names }) => {
  expect(names).not.toEqual([])
  expect(said(file)).toEqual([])
})

describe('documentation', () => {
  it.each(of('runs', 'compiles'))('$name compiles', ({ file }) => {
    expect(said(file)).toEqual([])
  })

  it.each(of('runs'))('$name runs', async ({ file, prints }) => {
    const folder = join(project, 'in', file)
    mkdirSync(folder, { recursive: true })
    const ended = await run(process.execPath, [join(project, 'out', `${file}.js`)], folder, {
      ...process.env,
      PAYMENTS_BASE_URL: sandbox?.url,
      PAYMENTS_CLIENT_ID: sandboxCredentials.clientId,
      PAYMENTS_API_KEY: sandboxCredentials.apiKey,
    })
    expect(ended.code, ended.output).toBe(0)
    if (prints !== undefined) expect(ended.output.trimEnd().split('\n')).toEqual(prints)
  })

  const excerpts = of('excerpt').map(({ name }) => name)
  it(`has ${excerpts.length} excerpts, which are not compiled: ${excerpts.join(', ')}`, () => {
    expect(documents).toContain('README.md')
    expect(of('runs', 'compiles').length).toBeGreaterThan(0)
  })

  it('compiles without another complaint', () => {
    const named = [...of('runs', 'compiles'), ...everything].map(({ file }) => `${file}.ts`)
    const rest = complaints
      .split('\n')
      .filter((line) => /error TS/.test(line) && !named.some((file) => line.includes(file)))
    expect(rest).toEqual([])
  })
})
