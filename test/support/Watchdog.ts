import { writeSync } from 'node:fs'
import type { ReportedHookContext, Reporter, TestCase, TestModule } from 'vitest/node'

/** Time in ms. Tests have no time limits of their own, because on a busy machine each takes as long as it takes. */
const SILENCE = 10 * 60_000

/** Ends a run with status 1 if no test, hook or file has ended for ten minutes. Names those that are still running. */
export default class Watchdog implements Reporter {
  readonly #end: (message: string) => void
  /** Names by the id of the test, hook or file. */
  readonly #running = new Map<string, string>()
  #timer: NodeJS.Timeout | undefined

  constructor(end?: (message: string) => void) {
    // Vitest constructs reporters with an object of options
    this.#end = typeof end === 'function' ? end : endProcess
  }

  onTestRunStart(): void {
    this.#timer = setTimeout(this.#onSilence, SILENCE).unref()
  }

  onTestModuleStart(module: TestModule): void {
    this.#running.set(module.id, module.relativeModuleId)
  }

  onTestModuleEnd(module: TestModule): void {
    this.#hasEnded(module.id)
  }

  onTestCaseReady(test: TestCase): void {
    this.#running.set(test.id, `${test.module.relativeModuleId} > ${test.fullName}`)
  }

  onTestCaseResult(test: TestCase): void {
    this.#hasEnded(test.id)
  }

  onHookStart({ name, entity }: ReportedHookContext): void {
    const file = entity.type === 'module' ? entity : entity.module
    const of = entity.type === 'module' ? '' : ` > ${entity.fullName}`
    this.#running.set(`${entity.id} ${name}`, `${file.relativeModuleId}${of} > ${name}`)
  }

  onHookEnd({ name, entity }: ReportedHookContext): void {
    this.#hasEnded(`${entity.id} ${name}`)
  }

  onTestRunEnd(): void {
    clearTimeout(this.#timer)
  }

  #hasEnded(id: string): void {
    this.#running.delete(id)
    this.#timer?.refresh()
  }

  readonly #onSilence = (): void => {
    const names = [...this.#running.values()].map((name) => `RUNNING: ${name}\n`)
    this.#end(`${names.join('')}Nothing has ended for ${SILENCE / 60_000} minutes.\n`)
  }
}

/** Workers end with the process that started them. */
const endProcess = (message: string): void => {
  writeSync(process.stderr.fd, message)
  process.exit(1)
}
