/** The package as npm packs it: its size, and what each entry brings along. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { builtPackage } from './support/built.js'

const root = fileURLToPath(new URL('..', import.meta.url))
let folder = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'payments-rx-package-'))
  for (const name of [
    ...['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md', 'CONTRIBUTING.md'],
    ...['SECURITY.md', 'docs'],
  ]) {
    cpSync(join(root, name), join(folder, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  cpSync(join(await builtPackage(), 'dist'), join(folder, 'dist'), { recursive: true })
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

interface Packed {
  readonly files: ReadonlyArray<{ readonly path: string }>
  readonly unpackedSize: number
}

const pack = (): Packed => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const answer = JSON.parse(execFileSync('npm', args, { cwd: folder, encoding: 'utf8' }))
  const [packed] = Array.isArray(answer) ? answer : Object.values<typeof answer>(answer)
  return packed
}

const packedFiles = (): ReadonlyArray<string> => pack().files.map(({ path }) => path)

it('has at most 390 files and 2.75 MB, and no file of the repository besides', () => {
  const { files, unpackedSize } = pack()
  expect(files.length).toBeLessThanOrEqual(390)
  expect(unpackedSize).toBeLessThanOrEqual(2_750_000)
  expect(files.map(({ path }) => path.replace(/[/].*/, '')).filter(isFirst)).toEqual([
    ...['CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'SECURITY.md', 'dist', 'docs'],
    'package.json',
  ])
})

it('has no source map without its sources, and no dead link in its pages', () => {
  const files = packedFiles()
  expect(files.filter((path) => path.endsWith('.map'))).toEqual([])
  const dead = files
    .filter((path) => path.endsWith('.md'))
    .flatMap((page) => {
      const text = readFileSync(join(root, page), 'utf8').replaceAll(/^( *)```[\s\S]*?^\1```/gm, '')
      return Array.from(text.matchAll(/\]\(([^)\s#]+)[^)\s]*\)/g), ([, link = '']) => link)
        .filter((link) => !/^[a-z]+:/.test(link))
        .map((link) => join(dirname(page), link))
        .filter((link) => !files.includes(link))
        .map((link) => `${page}: ${link}`)
    })
  expect(dead).toEqual([])
})

const isFirst = (name: string, at: number, all: ReadonlyArray<string>): boolean =>
  all.indexOf(name) === at

it('the client imports ky and two peers, and nothing of the command line or the sandbox', () => {
  const names = [...packagesOf(join(folder, 'dist/index.js'))].map((name) => name.split('/')[0])
  const external = names.filter((name) => name !== undefined && !name.startsWith('node:'))
  expect([...new Set(external)].sort()).toEqual(['io-ts', 'ky', 'rxjs'])
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
  const bundle = await rolldown({ input: program, external: /^rxjs/, logLevel: 'silent' })
  const { output } = await bundle.generate({ format: 'esm', minify: true })
  await bundle.close()
  const sizes = output.map((chunk) => (chunk.type === 'chunk' ? chunk.code.length : 0))
  expect(sizes.reduce((a, b) => a + b, 0)).toBeLessThan(7_000) // with the functions of fp-ts that it needs
})

it('takes each package that it is built and tested with by its checksum', () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const packages: ReadonlyArray<[string, { integrity?: string }]> = Object.entries(lock.packages)
  const unchecked = packages.filter(([path, { integrity }]) => path !== '' && !integrity)
  expect(unchecked.map(([path]) => path)).toEqual([])
})
