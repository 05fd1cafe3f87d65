/**
 * 1,000 tasks at once through each limiter; 50 may run, and no rate is used up. Run by mitata: `npm run bench -- scheduler
 * micro [--json]`. `overhead` measures the same in separate processes, and also memory.
 */
import { type MicroContender, runMicro } from '../micro.ts'
import { ALONE, COUNTS, runners } from './runners.ts'

const TASKS = 1_000

const roleOf = (name: string): MicroContender['role'] => {
  if (name === ALONE.rx) return 'floor'
  return name.startsWith('payments-rx') ? 'ours' : 'peer'
}

/** These do less: nothing waits, or nothing is counted. In bottleneck, a task costs more if more tasks wait; see `overhead`. */
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
