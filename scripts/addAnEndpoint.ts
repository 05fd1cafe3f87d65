/**
 * `npm run test:endpoint`: follows docs/internals/add-an-endpoint.md to the letter in a copy of the repository. Then runs the
 * last command of the page there, `npm run check && npm test`. Arguments: test files or folders to run instead of all tests.
 */
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/** A code block of the page: a new file, or lines to insert below a line of a file. */
interface Step {
  readonly file: string
  readonly below?: string
  readonly code: string
}

/** Returns the code blocks of the page, each with the last file that the text before it names. */
export const steps = (): ReadonlyArray<Step> => {
  const page = readFileSync(join(root, 'docs/internals/add-an-endpoint.md'), 'utf8')
  let file = ''
  return Array.from(
    page.matchAll(/([\s\S]*?)```ts\n([\s\S]*?)```/g),
    ([, text = '', code = '']) => {
      const created = /New file `([^`]+)`:\s*$/.exec(text)?.[1]
      if (created !== undefined) return { file: created, code }
      file = /In `([^`]+)`, below/.exec(text)?.[1] ?? file
      return { file, below: /below\s+`([^`]+)`:\s*$/.exec(text)?.[1] ?? '', code }
    },
  )
}

/** Copies all files except those that Git ignores, and links the installed packages. */
const copyRepository = (copy: string): void => {
  const files = ['ls-files', '--cached', '--others', '--exclude-standard']
  const names = execFileSync('git', files, { cwd: root, encoding: 'utf8' }).trim().split('\n')
  for (const name of names) {
    if (existsSync(join(root, name))) cpSync(join(root, name), join(copy, name))
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  execFileSync('git', ['init', '--quiet'], { cwd: copy }) // biome asks Git which files are ignored
}

const follow = (copy: string): void => {
  for (const { file, below, code } of steps()) {
    const path = join(copy, file)
    mkdirSync(dirname(path), { recursive: true })
    const before = below === undefined ? undefined : readFileSync(path, 'utf8')
    const after = before?.replace(`${below}\n`, (line) => line + code)
    if (before !== undefined && before === after) throw new Error(`${file} has no line ${below}`)
    writeFileSync(path, after ?? code)
  }
}

const run = (copy: string, tests: ReadonlyArray<string>): void => {
  const start = (program: string, ...args: ReadonlyArray<string>): void => {
    console.log(`\n${[program, ...args].join(' ')}`)
    execFileSync(program, args, { cwd: copy, stdio: 'inherit' })
  }
  const vitest = (...args: ReadonlyArray<string>): void =>
    start(process.execPath, 'node_modules/vitest/vitest.mjs', 'run', ...args) // npm would use its own Node
  start('npm', 'run', 'build') // as `npm ci` does
  vitest('test/api/docs.test.ts', '-u')
  vitest('test/surface.test.ts', '-u')
  start('npm', 'run', 'check')
  vitest(...tests)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const copy = mkdtempSync(join(tmpdir(), 'payments-rx-endpoint-'))
  try {
    copyRepository(copy)
    follow(copy)
    run(copy, process.argv.slice(2))
  } finally {
    rmSync(copy, { recursive: true })
  }
}
