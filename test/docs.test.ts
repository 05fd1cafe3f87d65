/**
 * Every example of the documentation compiles and runs, and prints what the page says. They are compiled as a reader's
 * project would be, against the package as it is built now, and run against a sandbox. A block without an import goes on
 * where the block before it ends: they are one program. Its output stands beside each `console.log`, or in a block of
 * `text` right after it, with `…` for what differs from run to run. A block that is marked `ts no-run` is compiled only, a
 * `ts excerpt` not even that. The README, which tells its readers to look, has what it prints where it says `ts prints`.
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
import * as benches from '../src/bench/index.js'
import * as decode from '../src/decode/index.js'
import * as files from '../src/export/index.js'
import * as main from '../src/index.js'
import * as otel from '../src/otel/index.js'
import * as quota from '../src/quota/index.js'
import * as sandboxes from '../src/sandbox/index.js'
import { listen, sandboxCredentials } from '../src/sandbox/index.js'
import * as scheduler from '../src/scheduler/index.js'
import * as observableEither from '../src/stream/either/index.js'
import * as stream from '../src/stream/index.js'
import * as webhooks from '../src/webhooks/index.js'
import { builtPackage } from './support/built.js'

const root = fileURLToPath(new URL('..', import.meta.url))

// the blocks

interface Block {
  /** Such as `docs/limits.md:5`. */
  readonly name: string
  readonly document: string
  /** The file that it becomes. */
  readonly file: string
  readonly text: string
  readonly kind: 'runs' | 'compiles'
  /** The lines that it prints. `…` stands for any text; as a line of its own, for any lines. */
  readonly prints?: ReadonlyArray<string>
}

/** Returns the comment beside each `console.log`. */
const beside = (body: string): ReadonlyArray<string> =>
  Array.from(
    body.matchAll(/console\.log\((?:.*\)|$[\s\S]*?^\)) \/\/ (.*)$/gm),
    ([, line = '']) => line,
  )

/** A block, and the block of text that follows it at once, if any. */
const FENCE = /^```ts([^\n]*)\n([\s\S]*?)^```\n?(?:\n*```text\n([\s\S]*?)^```)?/gm

const documents: ReadonlyArray<string> = [
  'README.md',
  'site/pages/index.md',
  ...['', 'reference/'].flatMap((folder) =>
    readdirSync(join(root, 'docs', folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${folder}${name}`),
  ),
].sort()

const blocks: ReadonlyArray<Block> = documents.flatMap((document) => {
  const page = readFileSync(join(root, document), 'utf8')
  const programs: Array<Block> = []
  for (const { 1: mark = '', 2: body = '', 3: output, index } of page.matchAll(FENCE)) {
    const line = page.slice(0, index).split('\n').length
    const last = programs.at(-1)
    const prints = output?.trimEnd().split('\n') ?? beside(body)
    if (mark.includes('excerpt')) continue
    if (last !== undefined && !/^import\b/m.test(body)) {
      programs[programs.length - 1] = {
        ...last,
        text: `${last.text}\n${body}`,
        ...(last.prints === undefined ? {} : { prints: [...last.prints, ...prints] }),
      }
    } else {
      programs.push({
        name: `${document}:${line}`,
        document,
        file: `${document.replace(/\W+/g, '_')}_${line}`,
        text: body,
        ...(document === 'README.md' && !mark.includes('prints') ? {} : { prints }),
        kind: mark.includes('no-run') ? 'compiles' : 'runs',
      })
    }
  }
  return programs
})

const escaped = (text: string): string => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')

/** Matches these lines, in which `…` stands for anything. */
const patternOf = (lines: ReadonlyArray<string>): RegExp =>
  new RegExp(
    `^${lines
      .map((line) =>
        line === '…' ? '(?:.*\\n)*?' : `${line.split('…').map(escaped).join('.*')}\\n`,
      )
      .join('')}$`,
  )

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
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> =>
  new Promise((resolve) => {
    execFile(command, args, { cwd, env }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1
      resolve({ code, stdout, stderr })
    })
  })

/** Is printed between the outputs of two programs. */
const NEXT = '=== next ==='

/**
 * Runs programs in one process, each in a folder and for a service of its own: the next begins when the one before has nothing left to
 * do.
 */
const RUNNER = `
const programs = JSON.parse(process.env.PROGRAMS)
let isOver = true
process.on('beforeExit', async () => {
  if (!isOver) process.exit(13) // it awaits what never comes, of which Node says so
  const next = programs.shift()
  if (next === undefined) return
  isOver = false
  process.stdout.write('${NEXT}')
  process.stderr.write('${NEXT}')
  process.chdir(next.folder)
  process.env.PAYMENTS_BASE_URL = next.url
  await import(next.program)
  isOver = true
})`

interface Program {
  readonly folder: string
  readonly url: string
  readonly program: string
}

/** Returns how each of the programs ended; after one that fails, the others run in another process. */
const runEach = async (programs: ReadonlyArray<Program>): Promise<ReadonlyArray<Ended>> => {
  if (programs.length === 0) return []
  const { code, stdout, stderr } = await run(
    process.execPath,
    ['--input-type=module', '--eval', RUNNER],
    project,
    {
      ...process.env,
      NODE_OPTIONS: '--disable-warning=ExperimentalWarning', // of node:sqlite, by the oldest Node
      PAYMENTS_CLIENT_ID: sandboxCredentials.clientId,
      PAYMENTS_API_KEY: sandboxCredentials.apiKey,
      PROGRAMS: JSON.stringify(programs),
    },
  )
  const errors = stderr.split(NEXT).slice(1)
  const ended = stdout
    .split(NEXT)
    .slice(1)
    .map((output, at, { length }) => ({
      code: at === length - 1 ? code : 0,
      output: output + (errors[at] ?? ''),
    }))
  if (ended.length === 0) throw new Error(stderr)
  return [...ended, ...(await runEach(programs.slice(ended.length)))]
}

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
  cpSync(join(await builtPackage(), 'dist'), join(self, 'dist'), { recursive: true })
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

/** A program that exports a client in parts. */
const PARTS = `
import { createClient } from 'payments-rx'

const payments = createClient()
export const { charges, batchTransfers, webhooks, reference, events, withAnswer } = payments
export const { create, createOnce, list, snapshot, untilState } = charges
export const all = list()
export const settled = snapshot({ status: 'SETTLED' })
export const { retrieve } = withAnswer.charges
`

// the tests

let project = ''
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
  writeFileSync(join(project, 'parts.ts'), PARTS)
  complaints = (await tsc('-p', join(project, 'tsconfig.json'), '--pretty', 'false')).stdout
})

afterAll(() => {
  rmSync(project, { recursive: true, force: true })
})

/** Returns the compiler's messages about a file of the reader's. */
const said = (file: string): ReadonlyArray<string> =>
  complaints.split('\n').filter((line) => line.includes(`${file}.ts`))

it.each(everything)('all of $entry can be exported again', ({ file, names }) => {
  expect(names).not.toEqual([])
  expect(said(file)).toEqual([])
})

it('parts of a client can be exported by a program that emits declarations', () => {
  expect(said('parts')).toEqual([])
})

describe('documentation', () => {
  it.each(of('runs', 'compiles'))('$name compiles', ({ file }) => {
    expect(said(file)).toEqual([])
  })

  const runs = new Map<number, Promise<ReadonlyMap<string, Ended>>>()
  /** Runs the programs of some pages. */
  const runAll = async (all: ReadonlyArray<Block>): Promise<ReadonlyMap<string, Ended>> => {
    const sandboxes = await Promise.all(
      all.map(() => listen({ charges: 5_000, limits: false })), // each has its own: some create
    )
    const programs = all.map(({ file }, at) => {
      const folder = join(project, 'in', file)
      mkdirSync(folder, { recursive: true })
      return { folder, url: sandboxes[at]?.url ?? '', program: join(project, 'out', `${file}.js`) }
    })
    const ended = await runEach(programs)
    await Promise.all(sandboxes.map(({ close }) => close()))
    return new Map(all.flatMap(({ file }, at) => (ended[at] ? [[file, ended[at]]] : [])))
  }
  /** Begins with the first of them: half of the pages in one process, half in another. */
  const running = (document: string): Promise<ReadonlyMap<string, Ended>> => {
    const half = documents.indexOf(document) % 2
    const isOfHalf = (block: Block): boolean => documents.indexOf(block.document) % 2 === half
    const run = runs.get(half) ?? runAll(of('runs').filter(isOfHalf))
    runs.set(half, run)
    return run
  }

  it.concurrent.for(of('runs'))('$name runs', async ({ file, document, prints }) => {
    const ended = (await running(document)).get(file) ?? { code: -1, output: 'it did not begin' }
    expect(ended.code, ended.output).toBe(0)
    if (prints === undefined) return
    const lines = ended.output.trimEnd()
    if (prints.some((line) => line.includes('…'))) expect(`${lines}\n`).toMatch(patternOf(prints))
    else expect(lines === '' ? [] : lines.split('\n')).toEqual(prints)
  })

  it('has programs', () => {
    expect(of('runs').length).toBeGreaterThan(50)
  })

  it('compiles without another complaint', () => {
    const named = [...of('runs', 'compiles'), ...everything].map(({ file }) => `${file}.ts`)
    const rest = complaints
      .split('\n')
      .filter((line) => /error TS/.test(line) && !named.some((file) => line.includes(file)))
    expect(rest).toEqual([])
  })
})
