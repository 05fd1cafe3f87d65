/** Runs before all test files, in the process that starts the workers. */
import { existsSync, mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A folder for data that the test files of a run share. */
    readonly shared: string
  }
}

export default ({ provide }: TestProject): (() => Promise<void>) => {
  const shared = mkdtempSync(join(tmpdir(), 'payments-rx-shared-'))
  provide('shared', shared)
  process.env.NODE_COMPILE_CACHE ??= join(shared, 'compiled') // child processes start faster
  return () => removed(shared)
}

/**
 * Child processes write their compile cache when they exit. A folder that they have filled in the meantime is emptied again.
 */
const removed = async (folder: string): Promise<void> => {
  for (let attempt = 0; attempt < 100 && existsSync(folder); attempt++) {
    await rm(folder, { recursive: true, force: true }).catch(() => setTimeout(100))
  }
}
