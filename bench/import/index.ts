/**
 * `npm run bench -- import [ROUNDS]`: time of an import in a new process, compared with other clients and with the packages
 * that `payments-rx` itself imports (its floor). The contenders take turns; the median round counts.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { report } from '../result.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const rounds = Number(process.argv[2] ?? 21)

/** Returns everything that an entry imports from other packages, including through shared chunks. */
const packagesOf = (file: string, seen = new Set<string>()): ReadonlyArray<string> => {
  if (seen.has(file)) return []
  seen.add(file)
  const text = readFileSync(file, 'utf8')
  return Array.from(text.matchAll(/^(?:import|export)\b[^'"\n]*["']([^"'\n]+)["']/gm)).flatMap(
    ([, from = '']) =>
      from.startsWith('.') ? packagesOf(join(dirname(file), from), seen) : [from],
  )
}

const isBuiltin = (name: string): boolean => name.startsWith('node:')

const floor = [...new Set(packagesOf(join(root, 'dist/index.js')))]
  .filter((name) => !isBuiltin(name))
  .sort()

const contenders: ReadonlyArray<readonly [name: string, modules: ReadonlyArray<string>]> = [
  ['its dependencies', floor],
  ['payments-rx', ['payments-rx']],
  ['payments-rx/scheduler', ['payments-rx/scheduler']],
  ['payments-rx/export', ['payments-rx/export']],
  ['payments-rx/sandbox', ['payments-rx/sandbox']],
  ['stripe', ['stripe']],
  ['openai', ['openai']],
  ['effect', ['effect']],
]

interface Cost {
  readonly wall: number
  readonly cpu: number
}

const importOnce = (modules: ReadonlyArray<string>): Cost => {
  const script = `
    const cpu = process.cpuUsage()
    const start = performance.now()
    for (const name of ${JSON.stringify(modules)}) await import(name)
    const wall = performance.now() - start
    const { user, system } = process.cpuUsage(cpu)
    console.log(JSON.stringify({ wall, cpu: (user + system) / 1000 }))`
  const args = ['--input-type=module', '--eval', script]
  return JSON.parse(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' }))
}

const median = (all: ReadonlyArray<number>): number =>
  all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN

const costs = new Map(contenders.map(([name]) => [name, Array.of<Cost>()]))
for (let round = 0; round < rounds; round++) {
  for (const [name, modules] of contenders) costs.get(name)?.push(importOnce(modules))
}

console.log(`floor: ${floor.join(', ')}`)
console.log(`median of ${rounds} rounds on Node ${process.version}\n`)
const of = (name: string, field: keyof Cost): number =>
  median((costs.get(name) ?? []).map((cost) => cost[field]))
const base = of('its dependencies', 'cpu')
for (const [name] of contenders) {
  const [wall, cpu] = [of(name, 'wall'), of(name, 'cpu')]
  console.log(
    `${name.padEnd(24)}${wall.toFixed(1).padStart(8)} ms wall ${cpu.toFixed(1).padStart(8)} ms CPU${(cpu / base).toFixed(2).padStart(7)} x`,
  )
}
report({
  subject: 'an import in a new process',
  unit: 'ms of CPU',
  better: 'lower',
  contenders: [
    { name: 'its dependencies', role: 'floor', value: base },
    ...contenders.slice(1).map(([name]) => ({
      name,
      role: name.startsWith('payments-rx') ? ('ours' as const) : ('peer' as const),
      value: of(name, 'cpu'),
    })),
  ],
})
