import type { Reporter, TestCase, TestModule } from 'vitest/node'

/**
 * Names each skipped test, which needs something that is not on this machine, and ends the run with one line that a
 * person or a machine can read: `N passed, N failed, N skipped`.
 */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>): void {
    const count = { passed: 0, failed: errors.length, skipped: 0, pending: 0 }
    const skipped: TestCase[] = []
    for (const module of modules) {
      if (module.errors().length > 0) count.failed++
      for (const test of module.children.allTests()) {
        count[test.result().state]++
        if (test.options.mode === 'skip') skipped.push(test)
      }
    }
    for (const test of skipped) process.stdout.write(`SKIPPED: ${test.fullName}\n`)
    const { passed, failed } = count
    const left = count.skipped + count.pending
    process.stdout.write(`${passed} passed, ${failed} failed, ${left} skipped\n`)
  }
}
