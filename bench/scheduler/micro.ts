/**
 * 1,000 tasks at once through each limiter, of which 50 may run, no rate used up, run by mitata:
 * `npm run bench -- scheduler micro [--json]`. `overhead` measures the same in processes of their own, and memory.
 */
import { type MicroContender, runMicro } from '../micro.ts'
import { ALONE, COUNTS, runners } from './runners.ts'

const TASKS = 1_000

const roleOf = (name: string): MicroContender['role'] => {
  if (name === ALONE.rx) return 'floor'
  return name.startsWith('payments-rx') ? 'ours' : 'peer'
}

/** They do less: nothing waits, or nothing is counted. A task costs bottleneck the more, the more wait: see `overhead`. */
const LEFT_OUT = [ALONE.promises, COUNTS, 'effect (none waits)', 'bottleneck']

await runMicro([
  {
    subject: '1,000 tasks, 50 at once',
    items: TASKS,
    of: 'a task',
    contenders: Object.entries(runners)
      .filter(([name]) => !LEFT_OUT.includes(name))
      .map(([name, make]) => {
        const run = make()
        return { name, role: roleOf(name), run: () => run(async () => 1, TASKS) }
      }),
  },
])
