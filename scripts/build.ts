/**
 * `npm run build`: bundles each entry of the package, and its declarations, into `dist`. What two entries share is a
 * chunk in `dist/shared`. Peers and dependencies stay imports.
 */
import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build, type InputOptions } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The entries for library users, by their place in `src` and in `dist`. */
const entries = [
  'index',
  ...['decode', 'export', 'sandbox', 'scheduler', 'stream', 'webhooks'].map((f) => `${f}/index`),
]

const inputs = (folder: string, extension: string): Record<string, string> =>
  Object.fromEntries(entries.map((entry) => [entry, join(folder, `${entry}.${extension}`)]))

const options = {
  cwd: root,
  platform: 'node',
  external: (id, importer) => importer !== undefined && !id.startsWith('.') && !isAbsolute(id),
  checks: { pluginTimings: false },
  logLevel: 'warn',
} satisfies InputOptions

/** Bundles the code, without declarations. */
export const buildCode = (dist: string) =>
  build({
    ...options,
    input: { ...inputs(join(root, 'src'), 'ts'), 'cli/main': join(root, 'src/cli/main.ts') },
    output: {
      dir: dist,
      chunkFileNames: 'shared/[name].js',
      comments: { jsdoc: false, legal: false, annotation: true },
      sourcemap: true,
      sourcemapExcludeSources: true, // with the sources, the package would be twice as large
    },
  })

/** The compiler writes a declaration for each source file; the plugin only joins them. */
export const buildDeclarations = async (dist: string): Promise<void> => {
  mkdirSync(join(root, 'node_modules/.cache'), { recursive: true })
  const emitted = mkdtempSync(join(root, 'node_modules/.cache/declarations-'))
  try {
    const tsc = join(root, 'node_modules/typescript/bin/tsc')
    const args = [tsc, '-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', emitted]
    await promisify(execFile)(process.execPath, args, { cwd: root })
    await build({
      ...options,
      input: inputs(emitted, 'd.ts'),
      plugins: [dts({ dtsOnly: true, generator: 'oxc' })],
      output: { dir: dist, chunkFileNames: 'shared/[name].js' },
    })
  } finally {
    rmSync(emitted, { recursive: true, force: true })
  }
}

/** Empties the folder `dist` and fills it. */
export const buildPackage = async (dist: string): Promise<void> => {
  rmSync(dist, { recursive: true, force: true })
  await Promise.all([buildCode(dist), buildDeclarations(dist)])
  chmodSync(join(dist, 'cli/main.js'), 0o755)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await buildPackage(join(root, 'dist'))
}
