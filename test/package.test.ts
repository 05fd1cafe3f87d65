/** The package as npm packs it: its size, and what each entry brings along. */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildPackage } from '../scripts/build.js'

const root = fileURLToPath(new URL('..', import.meta.url))
let folder = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'payments-rx-package-'))
  for (const name of ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'docs']) {
    cpSync(join(root, name), join(folder, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  await buildPackage(join(folder, 'dist'))
})

afterAll(() => rmSync(folder, { recursive: true }))

/** The packages that an entry imports, through the chunks that it shares with others. */
const packagesOf = (file: string, seen = new Set<string>()): ReadonlySet<string> => {
  const found = new Set<string>()
  if (seen.has(file)) return found
  seen.add(file)
  const imports = /^(?:import|export)\b[^'"\n]*["']([^"'\n]+)["']/gm
  for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(imports)) {
    const target = join(dirname(file), from)
    for (const name of from.startsWith('.') ? packagesOf(target, seen) : [from]) found.add(name)
  }
  return found
}

it('has at most 380 files and 2.5 MB, and no file of the repository besides', () => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const answer = JSON.parse(execFileSync('npm', args, { cwd: folder, encoding: 'utf8' }))
  const [packed] = Array.isArray(answer) ? answer : Object.values<typeof answer>(answer)
  const files: ReadonlyArray<{ readonly path: string }> = packed.files
  expect(files.length).toBeLessThanOrEqual(380)
  expect(packed.unpackedSize).toBeLessThanOrEqual(2_500_000)
  expect(files.map(({ path }) => path.replace(/[/].*/, '')).filter(isFirst)).toEqual([
    ...['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'docs', 'package.json'],
  ])
})

it('names sources and lines in stack traces, by its source maps', () => {
  const program = `import { createClient } from './dist/index.js'; createClient({ baseUrl: '' })`
  const args = ['--enable-source-maps', '--input-type=module', '--eval', program]
  const { stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  const [, line = ''] = /createClient .*src\/client\/createClient\.ts:(\d+)/.exec(stderr) ?? []
  const source = readFileSync(join(root, 'src/client/createClient.ts'), 'utf8').split('\n')
  expect(source[Number(line) - 1]).toContain('clientOptions(')
})

const isFirst = (name: string, at: number, all: ReadonlyArray<string>): boolean =>
  all.indexOf(name) === at

it('the client imports ky and its peers, and nothing of the command line or the sandbox', () => {
  const names = [...packagesOf(join(folder, 'dist/index.js'))].map(
    (name) => name.replace(/^#/, '').split('/')[0],
  )
  const external = names.filter((name) => name !== undefined && !name.startsWith('node:'))
  expect([...new Set(external)].sort()).toEqual(['fp-ts', 'io-ts', 'ky', 'rxjs'])
})

it('a browser takes payments-rx/scheduler in less than 80 kB', async () => {
  const bundle = await rolldown({
    input: join(folder, 'dist/scheduler/index.js'),
    platform: 'browser',
    logLevel: 'silent',
  })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  const sizes = output.map((chunk) => (chunk.type === 'chunk' ? chunk.code.length : 0))
  const external = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.imports : []))
  expect(external).toEqual([])
  expect(sizes.reduce((a, b) => a + b, 0)).toBeLessThan(80_000)
})

it('a bundle takes only the functions of payments-rx/ObservableEither that it uses', async () => {
  const entry = join(folder, 'dist/stream/either/index.js')
  const program = join(folder, 'program.js')
  writeFileSync(
    program,
    `import * as OE from '${entry}'\nexport const [a, b] = [OE.map, OE.filter]`,
  )
  const bundle = await rolldown({ input: program, external: /^(rxjs|#?fp-ts)/, logLevel: 'silent' })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  const sizes = output.map((chunk) => (chunk.type === 'chunk' ? chunk.code.length : 0))
  expect(sizes.reduce((a, b) => a + b, 0)).toBeLessThan(1_200)
})

it('takes each package that it is built and tested with by its checksum', () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const packages: ReadonlyArray<[string, { integrity?: string }]> = Object.entries(lock.packages)
  const unchecked = packages.filter(([path, { integrity }]) => path !== '' && !integrity)
  expect(unchecked.map(([path]) => path)).toEqual([])
})
