/** `npm run bench -- scheduler [simulate | refused | informed | overhead | real] [how many]` */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const [name = 'simulate', ...args] = process.argv.slice(2)
if (!['simulate', 'refused', 'informed', 'overhead', 'real'].includes(name)) {
  throw new RangeError(`no benchmark ${name}, only simulate, refused, informed, overhead and real`)
}
const script = fileURLToPath(new URL(`./${name}.ts`, import.meta.url))
const { status } = spawnSync(process.execPath, [script, ...args], { stdio: 'inherit' })
process.exitCode = status ?? 1
