/**
 * `npm run docs`: builds the site from `docs`, the pages in `site/pages` and the doc comments of the public names into
 * `site/dist`, and checks every link and anchor. Installs the packages of this folder when that is due.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gatherPages } from './gatherPages.ts'

const site = import.meta.dirname

const run = (command: string, args: ReadonlyArray<string>): void => {
  const started = performance.now()
  const { status } = spawnSync(command, args, { cwd: site, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
  const seconds = ((performance.now() - started) / 1_000).toFixed(1)
  console.log(`${args.slice(0, 2).join(' ').replaceAll(`${site}/`, '')}: ${seconds} s`)
}

/** True if the packages are older than the lock file. */
const isStale = (): boolean => {
  const installed = join(site, 'node_modules/.package-lock.json')
  if (!existsSync(installed)) return true
  return statSync(installed).mtimeMs < statSync(join(site, 'package-lock.json')).mtimeMs
}

if (isStale()) run('npm', ['ci', '--no-audit', '--no-fund'])
rmSync(join(site, '.pages'), { recursive: true, force: true })
const binary = (path: string): string => join(site, 'node_modules', path)
run(process.execPath, [binary('typedoc/bin/typedoc'), '--options', 'typedoc.config.js'])
gatherPages() // links to the pages of types
run(process.execPath, [binary('vitepress/bin/vitepress.js'), 'build', '.'])
// with the packages of this folder, which a static import would need before they are installed
const { brokenLinks } = await import('./brokenLinks.ts')
const broken = brokenLinks(join(site, 'dist'))
for (const link of broken) console.error(`broken link ${link}`)
process.exitCode = broken.length === 0 ? 0 : 1
