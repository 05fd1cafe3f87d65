import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { SEED } from './test/support/runs.ts'
import { SlowestFirst } from './test/support/SlowestFirst.ts'

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'))

/** Tests that replace modules or measure the heap: each runs in a process of its own. */
const isolated = 'test/**/*.isolated.test.ts'

/** Tests of examples import the package by its name, and get the code as it is now, not as it was built last. */
const source = fileURLToPath(new URL('src', import.meta.url))

export default defineConfig({
  resolve: {
    alias: [
      { find: /^payments-rx$/, replacement: `${source}/index.ts` },
      { find: /^payments-rx\/(\w+)$/, replacement: `${source}/$1/index.ts` },
    ],
  },
  define: { PAYMENTS_RX_VERSION: JSON.stringify(version) }, // as scripts/build.ts does
  test: {
    reporters: ['default', './test/support/count-reporter.ts', './test/support/Watchdog.ts'],
    env: { SEED: String(SEED) },
    setupFiles: './test/support/eachFile.ts',
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [isolated],
          isolate: false,
          globalSetup: './test/support/globalSetup.ts',
        },
      },
      { extends: true, test: { name: 'isolated', include: [isolated] } },
    ],
    sequence: { sequencer: SlowestFirst },
    unstubGlobals: true,
    restoreMocks: true,
    maxWorkers: '100%',
    maxConcurrency: 3, // of tests that wait for processes: these wait for each other, too
    testTimeout: 0, // a busy machine takes as long as it takes: see test/support/Watchdog.ts
    hookTimeout: 0,
    teardownTimeout: 600_000, // in which servers of the run end
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reporter: ['text-summary', 'json-summary', 'html'],
      reportsDirectory: 'coverage',
      // half a point below what a run shows; what runs in a process of its own, such as a worker, does not count
      thresholds: { statements: 95.8, branches: 90.3, functions: 96.1, lines: 96.7 },
    },
  },
})
