/** Follows docs/internals/add-an-endpoint.md to the letter, in a copy of the sources. */
import { execFile } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const page = readFileSync(join(root, 'docs/internals/add-an-endpoint.md'), 'utf8')
const run = promisify(execFile)
let copy = ''

/** Each block of code, with the last place that the text before it names: a new file, or a line of a file. */
const steps = (): ReadonlyArray<{
  readonly file: string
  readonly below?: string
  readonly code: string
}> => {
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

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'payments-rx-endpoint-'))
  for (const name of ['src', 'package.json', 'tsconfig.json']) {
    cpSync(join(root, name), join(copy, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))
  for (const { file, below, code } of steps()) {
    const path = join(copy, file)
    mkdirSync(dirname(path), { recursive: true })
    if (below === undefined) {
      writeFileSync(path, code)
      continue
    }
    const text = readFileSync(path, 'utf8')
    if (!text.includes(`${below}\n`)) throw new Error(`${file} has no line ${below}`)
    writeFileSync(
      path,
      text.replace(`${below}\n`, () => `${below}\n${code}`),
    )
  }
})

afterAll(() => rmSync(copy, { recursive: true }))

it('the endpoint of the page compiles, and its test passes', { timeout: 180_000 }, async () => {
  const bin = (name: string) => join(root, 'node_modules', name)
  await run(process.execPath, [bin('typescript/bin/tsc'), '-p', copy], { cwd: copy })
  const vitest = [bin('vitest/vitest.mjs'), 'run', '--root', copy]
  const report = ['--reporter=json', '--outputFile=report.json']
  await run(process.execPath, [...vitest, ...report], { cwd: copy })
  expect(JSON.parse(readFileSync(join(copy, 'report.json'), 'utf8'))).toMatchObject({
    numPassedTests: 2,
    numFailedTests: 0,
  })
})
