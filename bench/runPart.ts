import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { didYouMean, similarName } from '../src/options/unknownName.ts'

/** Runs the script of a suite that the first argument names; by default the first script. Exits with 2 for an unknown name. */
export const runPart = (
  suite: string,
  parts: readonly [string, ...ReadonlyArray<string>],
): void => {
  const [first = '', ...others] = process.argv.slice(2)
  const isNamed = first !== '' && !first.startsWith('-')
  const part = isNamed ? first : parts[0]
  if (!parts.includes(part)) {
    const meant = didYouMean(similarName(part, parts))
    console.error(`bench: there is no ${part}, only ${parts.join(', ')}${meant}`)
    process.exitCode = 2
    return
  }
  const args = isNamed ? others : process.argv.slice(2)
  const script = fileURLToPath(new URL(`./${part}.ts`, suite))
  const { status } = spawnSync(process.execPath, [script, ...args], { stdio: 'inherit' })
  process.exitCode = status ?? 1
}
