/**
 * The README as a reader uses it, and then docs/start.md in the same folder: their blocks are pasted, in order, into a
 * shell in an empty folder, and into the files that the pages name. npm has its defaults, and a registry on this machine.
 */
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../bench/services/startServer.js'
import { builtPackage } from './support/built.js'
import { type LocalRegistry, localRegistry } from './support/localRegistry.js'
import { isWhole, sample } from './support/runs.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const start = readFileSync(join(root, 'docs/start.md'), 'utf8')

// the blocks

interface Block {
  readonly name: string
  readonly language: string
  readonly text: string
  /** The file that the page names last before the block. */
  readonly file: string | undefined
}

const blocksOf = (page: string): ReadonlyArray<Block> =>
  Array.from(
    page.matchAll(/^```(\w+)[^\n]*\n([\s\S]*?)^```/gm),
    ({ 1: language = '', 2: text = '', index }) => {
      const before = page.slice(0, index)
      return {
        name: `${language} in line ${before.split('\n').length}`,
        language,
        text,
        file: [...before.matchAll(/as `([\w.-]+\.\w+)`:$/gm)].at(-1)?.[1],
      }
    },
  ).filter(({ language }) => language !== 'text') // is output, or for a clone

const blocks = blocksOf(readme)

// the reader's shell

interface Shell {
  /** Pastes a line, and resolves with its status and with what was printed meanwhile. */
  readonly paste: (line: string) => Promise<{ readonly status: number; readonly output: string }>
  readonly close: () => void
}

const openShell = (cwd: string, env: NodeJS.ProcessEnv): Shell => {
  const bash = spawn('bash', ['--noprofile', '--norc'], { cwd, env, detached: true })
  let output = ''
  let onOutput = (): void => {}
  for (const stream of [bash.stdout, bash.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => {
      output += part
      onOutput()
    })
  }
  return {
    paste: (line) =>
      new Promise((resolve) => {
        output = ''
        onOutput = () => {
          const end = /=== (\d+) ===/.exec(output)
          if (end !== null) resolve({ status: Number(end[1]), output: output.slice(0, end.index) })
        }
        bash.stdin.write(`${line}\necho "=== $? ==="\n`)
      }),
    close: () => {
      if (bash.pid !== undefined) process.kill(-bash.pid)
    },
  }
}

// the tests

let folder = ''
let registry: LocalRegistry | undefined
let shell: Shell | undefined
let port = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'payments-rx-readme-'))
  const own = join(folder, 'package')
  mkdirSync(own)
  for (const name of ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'docs']) {
    cpSync(join(root, name), join(own, name), { recursive: true })
  }
  cpSync(join(await builtPackage(), 'dist'), join(own, 'dist'), { recursive: true })
  registry = await localRegistry(join(root, 'node_modules'), own)
  port = `${await freePort()}`
  const empty = join(folder, 'reader')
  mkdirSync(empty)
  const ownSettings = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|PAYMENTS_|NODE_(?!COMPILE_CACHE)|VITEST)/i.test(name),
  )
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const needsFlag = major < 22 || (major === 22 && minor < 18) // as the page says
  shell = openShell(empty, {
    ...Object.fromEntries(ownSettings),
    PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
    HOME: folder,
    ...(needsFlag ? { NODE_OPTIONS: '--experimental-strip-types' } : {}),
    npm_config_registry: registry.url,
  })
})

afterAll(async () => {
  shell?.close()
  await registry?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs each line of a block. */
const paste = async (text: string): Promise<string> => {
  let all = ''
  for (const line of text.replaceAll('8080', port).trimEnd().split('\n')) {
    const { status, output } = (await shell?.paste(line)) ?? { status: -1, output: '' }
    all += output
    expect(status, `${line}\n${all}`).toBe(0)
  }
  return all
}

const RUN = 'npx payments-rx sandbox -- node example.mjs'

/** Runs the installed command without npm, which takes longer than all else: for lines after the first one with `npx`. */
const DIRECTLY = 'npx() { node_modules/.bin/"$@"; }'

const isRunNext = (block: Block): boolean => {
  const next = blocks[blocks.indexOf(block) + 1]
  return next?.language === 'sh' && next.text.includes(RUN)
}

/** Programs that no line of the page runs: `docs.test.ts` runs all of them, beside each package that is installed here. */
const others = blocks.filter((block) => block.language === 'ts' && !isRunNext(block))
const sampled = sample(3, others)

describe('README', () => {
  it('has at most 1,300 words', () => {
    expect(readme.split(/\s+/).length).toBeLessThanOrEqual(1_300)
  })

  it('has the headings that one would search for', () => {
    const headings = Array.from(readme.matchAll(/^## (.*)$/gm), ([, heading]) => heading)
    expect(headings).toEqual(
      expect.arrayContaining([
        ...['Authentication', 'Pagination', 'Retries and idempotency', 'Rate limits', 'Timeouts'],
        ...['Errors', 'Webhooks', 'Logging', 'Telemetry', 'Testing', 'Proxies', 'TypeScript'],
      ]),
    )
  })

  it.each(blocks.filter((block) => !others.includes(block) || sampled.includes(block)))(
    'runs $name as pasted',
    async (block) => {
      const { language, text } = block
      if (language === 'sh') {
        await paste(text)
        if (!isWhole && text.includes('npx')) await paste(DIRECTLY)
        return
      }
      expect(language).toBe('ts')
      writeFileSync(join(folder, 'reader/example.mjs'), text)
      if (isRunNext(block)) return
      const printed = await paste(RUN)
      if (/console/i.test(text)) expect(printed.trim()).not.toBe('')
    },
  )
})

/** The lines that a program prints, as its comments have them. */
const promised = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/console\.log\(.*\) \/\/ (.*)$/gm), ([, line = '']) => line)

describe('docs/start.md, after the README in the same folder', () => {
  const all = blocksOf(start)

  it.each(all.map((block, at) => ({ ...block, program: all[at - 1] })))(
    'runs $name as pasted',
    async ({ language, text, file, program }) => {
      if (language === 'ts') {
        writeFileSync(join(folder, 'reader', file ?? ''), text)
        return
      }
      const printed = await paste(text)
      if (program?.language === 'ts') {
        expect(printed.split('\n')).toEqual(expect.arrayContaining([...promised(program.text)]))
      }
    },
  )
})
