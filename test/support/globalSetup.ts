/** Runs before all test files, in the process that starts the workers. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A folder for what the test files of a run share. */
    readonly shared: string
  }
}

export default ({ provide }: TestProject): (() => void) => {
  const shared = mkdtempSync(join(tmpdir(), 'payments-rx-shared-'))
  provide('shared', shared)
  process.env.NODE_COMPILE_CACHE ??= join(shared, 'compiled') // child processes start faster
  return () => rmSync(shared, { recursive: true, force: true })
}
