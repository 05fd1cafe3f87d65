import type { Reporter, TestCase, TestModule } from 'vitest/node'
import { isWhole, SEED } from './runs.ts'

/** Returns the command that replays a test. */
const replayOf = ({ module, fullName }: TestCase): string => {
  const name = fullName.replaceAll(/[\\^$.*+?()[\]{}|]/g, '.').replaceAll("'", '.') // a pattern, quoted for the shell
  const settings = [`SEED=${SEED}`, ...(isWhole ? [`RUNS=${process.env.RUNS}`] : [])].join(' ')
  return `${settings} npm test -- ${module.relativeModuleId} -t '^${name.replaceAll(' > ', ' (> )?')}$'`
}

/**
 * Names each skipped test, which needs something that this machine lacks, and says how to replay each failed test. Ends the run
 * with one line that people and machines can read: `N passed, N failed, N skipped`.
 */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>): void {
    const count = { passed: 0, failed: errors.length, skipped: 0, pending: 0 }
    const [skipped, failed]: [TestCase[], TestCase[]] = [[], []]
    for (const module of modules) {
      if (module.errors().length > 0) count.failed++
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        count[state]++
        if (state === 'failed') failed.push(test)
        if (test.options.mode === 'skip') skipped.push(test)
      }
    }
    for (const test of skipped) process.stdout.write(`SKIPPED: ${test.fullName}\n`)
    for (const test of failed) process.stdout.write(`AGAIN: ${replayOf(test)}\n`)
    const { passed } = count
    const left = count.skipped + count.pending
    process.stdout.write(`${passed} passed, ${count.failed} failed, ${left} skipped\n`)
  }
}
