/** `npm run bench -- NAME [ARGUMENTS]`: builds the package and runs one of the benchmarks. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'

const folder = new URL('.', import.meta.url)
const names = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

const [name, ...args] = process.argv.slice(2)
const script = new URL(`${name}/index.ts`, folder)
if (name === undefined || !names.includes(name) || !existsSync(script)) {
  console.error(`usage: npm run bench -- ${names.join(' | ')} [arguments]`)
  process.exit(2)
}
const { status } = spawnSync(process.execPath, [script.pathname, ...args], { stdio: 'inherit' })
process.exitCode = status ?? 1
