/**
 * `npm run build`: bundles each entry of the package into `dist`, and writes its declarations. Code shared by two entries
 * becomes a chunk in `dist/shared`. Dependencies and all peers except fp-ts remain imports.
 */
import { execFile } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build, type InputOptions } from 'rolldown'

const root = fileURLToPath(new URL('..', import.meta.url))

const { version }: { readonly version: string } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
)

/** The entries for library users, by their path in `src` and in `dist`. */
const entries = [
  'index',
  ...[
    'bench',
    'decode',
    'export',
    'otel',
    'quota',
    'sandbox',
    'scheduler',
    'stream',
    'stream/either',
    'webhooks',
  ].map((f) => `${f}/index`),
]

/** Programs, which are started and never imported. */
const programs = ['cli/main', 'bench/sandboxProcess', 'bench/peerProcess']

/** Layers that several entries share, as chunks. */
const layers: ReadonlyArray<readonly [name: string, test: RegExp]> = [
  ['base', /\/src\/(fp\.ts|options\/|stream\/(?!either\/))/],
  ['decode', /\/src\/decode\//],
  ['codec', /\/src\/(codec|api)\//],
  ['scheduler', /\/src\/scheduler\//],
]

const inputs = (folder: string, extension: string): Record<string, string> =>
  Object.fromEntries(entries.map((entry) => [entry, join(folder, `${entry}.${extension}`)]))

/**
 * fp-ts has no modules that both Node and bundlers can tree-shake, so the functions in use are copied (its license is that of
 * this package, see LICENSE).
 */
const FP_TS = 'fp-ts/lib'

const options = {
  cwd: root,
  platform: 'node',
  external: (id, importer) =>
    importer !== undefined && !id.startsWith('.') && !isAbsolute(id) && !id.startsWith(`${FP_TS}/`),
  resolve: { alias: { [FP_TS]: join(root, 'node_modules/fp-ts/es6') } },
  transform: { define: { PAYMENTS_RX_VERSION: JSON.stringify(version) } },
  checks: { pluginTimings: false },
  logLevel: 'warn',
} satisfies InputOptions

/** Bundles the code, without declarations. It is not minified, so that stack traces can be read without source maps. */
export const buildCode = async (dist: string): Promise<void> => {
  await build({
    ...options,
    input: {
      ...inputs(join(root, 'src'), 'ts'),
      ...Object.fromEntries(programs.map((name) => [name, join(root, `src/${name}.ts`)])),
    },
    output: {
      dir: dist,
      chunkFileNames: 'shared/[name].js',
      // few files load faster than many, so each layer is one chunk
      codeSplitting: { groups: layers.map(([name, test]) => ({ name, test })) },
      comments: { jsdoc: false, legal: false, annotation: true },
    },
  })
}

/** Returns the declarations that a user's compiler reads: those of the entries, and everything that they import. */
const reachable = (file: string, found = new Set<string>()): ReadonlySet<string> => {
  if (found.has(file)) return found
  found.add(file)
  const imports = readFileSync(file, 'utf8').matchAll(
    /\b(?:from |import\(|import )["'](\.[^"']+)\.js["']/g,
  )
  for (const [, from = ''] of imports) reachable(join(dirname(file), `${from}.d.ts`), found)
  return found
}

/**
 * Writes a declaration for each source file that the public types reach. They are not bundled: see
 * docs/internals/architecture.md.
 */
export const buildDeclarations = async (dist: string): Promise<void> => {
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  // `npm run check:types` checks the types, in more files than this
  const args = ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--noCheck', '--outDir', dist]
  await promisify(execFile)(process.execPath, [tsc, ...args], { cwd: root })
  const needed = new Set<string>()
  for (const path of Object.values(inputs(dist, 'd.ts'))) reachable(path, needed)
  for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' })) {
    const path = join(dist, name)
    if (!name.endsWith('.d.ts')) continue
    if (needed.has(path)) writeFileSync(path, published(readFileSync(path, 'utf8')))
    else rmSync(path)
  }
}

/** Tabs, as in the code, take less space than the compiler's spaces. */
const published = (declaration: string): string =>
  declaration.replaceAll(/^(?: {4})+/gm, (indent) => '\t'.repeat(indent.length / 4))

/** Empties the folder `dist` and fills it again. */
export const buildPackage = async (dist: string): Promise<void> => {
  rmSync(dist, { recursive: true, force: true })
  await Promise.all([buildCode(dist), buildDeclarations(dist)])
  chmodSync(join(dist, 'cli/main.js'), 0o755)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await buildPackage(join(root, 'dist'))
}
