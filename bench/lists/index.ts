/** `npm run bench -- lists [memory | speed] [arguments]` */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const [name = 'speed', ...args] = process.argv.slice(2)
if (!['memory', 'speed'].includes(name)) {
  throw new RangeError(`no benchmark ${name}, only memory and speed`)
}
const script = fileURLToPath(new URL(`./${name}.ts`, import.meta.url))
const { status } = spawnSync(process.execPath, [script, ...args], { stdio: 'inherit' })
process.exitCode = status ?? 1
