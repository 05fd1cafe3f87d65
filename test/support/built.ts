/**
 * The current package, built once for all test files of a run. The first file that needs it builds it, and the others wait.
 * Like an installed package, it has `package.json` and the installed packages next to `dist`. No test writes into it.
 */
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'
import { buildCode, buildPackage } from '../../scripts/build.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Returns true if a file exists. */
const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

const once = async (name: string, build: (dist: string) => Promise<void>): Promise<string> => {
  const home = join(inject('shared'), name)
  const done = `${home}.done`
  try {
    mkdirSync(home)
  } catch {
    while (!(await isThere(done))) await sleep(20)
    return home
  }
  try {
    cpSync(join(root, 'package.json'), join(home, 'package.json'))
    symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'))
    await build(join(home, 'dist'))
  } finally {
    writeFileSync(done, '')
  }
  return home
}

/** Resolves with the folder of a package that has code but no declarations. */
export const builtCode = (): Promise<string> => once('code', buildCode)

/** Resolves with the path of the command. */
export const builtCommand = async (): Promise<string> => join(await builtCode(), 'dist/cli/main.js')

/** Resolves with the folder of a package that has code and declarations. */
export const builtPackage = (): Promise<string> => once('package', buildPackage)
