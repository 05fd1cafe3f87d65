import { expect, it, vi } from 'vitest'
import type { TestCase, TestModule } from 'vitest/node'
import Watchdog from './Watchdog.js'

const MINUTE = 60_000
const file = { type: 'module', id: 'f', relativeModuleId: 'test/a.test.ts' } as TestModule
const testOf = (id: string): TestCase =>
  ({ type: 'test', id, fullName: `a > ${id}`, module: file }) as TestCase

it('ends a run in which nothing has ended for ten minutes, and names what is running', () => {
  vi.useFakeTimers()
  const said: Array<string> = []
  const watchdog = new Watchdog((message) => said.push(message))
  watchdog.onTestRunStart()
  watchdog.onTestModuleStart(file)
  watchdog.onTestCaseReady(testOf('quick'))
  watchdog.onHookStart({ name: 'beforeAll', entity: file })
  vi.advanceTimersByTime(9 * MINUTE)
  watchdog.onTestCaseResult(testOf('quick'))
  watchdog.onTestCaseReady(testOf('slow'))
  vi.advanceTimersByTime(10 * MINUTE - 1)
  expect(said).toEqual([])
  vi.advanceTimersByTime(1)
  expect(said.join('').trimEnd().split('\n')).toEqual([
    ...['RUNNING: test/a.test.ts', 'RUNNING: test/a.test.ts > beforeAll'],
    ...['RUNNING: test/a.test.ts > a > slow', 'Nothing has ended for 10 minutes.'],
  ])
  vi.useRealTimers()
})

it('lets a run end', () => {
  vi.useFakeTimers()
  const said: Array<string> = []
  const watchdog = new Watchdog((message) => said.push(message))
  watchdog.onTestRunStart()
  watchdog.onTestRunEnd()
  vi.advanceTimersByTime(60 * MINUTE)
  expect(said).toEqual([])
  vi.useRealTimers()
})
