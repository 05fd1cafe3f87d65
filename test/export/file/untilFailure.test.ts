import { describe, expect, it } from 'vitest'
import { untilFailure } from '../../../src/export/file/untilFailure.js'

describe('untilFailure', () => {
  it('does one thing after the other, and after a failure nothing more', async () => {
    const { run } = untilFailure('the file')
    const log: Array<string> = []
    const failure = new Error('full')
    const first = run(async () => {
      await new Promise(setImmediate)
      log.push('first')
    })
    const second = run(() => Promise.reject(failure))
    const third = run(async () => log.push('third'))
    await first
    await expect(second).rejects.toBe(failure)
    await expect(third).rejects.toBe(failure)
    expect(log).toEqual(['first'])
  })

  it('does nothing after the last thing, but that once more', async () => {
    const { run, last } = untilFailure('the file')
    const log: Array<string> = []
    const page = run(async () => {
      await new Promise(setImmediate)
      log.push('page')
    })
    const closing = last(async () => {
      log.push('close')
    })
    const late = run(async () => log.push('late'))
    await expect(late).rejects.toThrow('the file: abandon was called')
    await Promise.all([page, closing])
    await last(async () => {
      log.push('again')
    })
    expect(log).toEqual(['page', 'close', 'again'])
  })

  it('tells the first failure also after the last thing', async () => {
    const { run, last } = untilFailure('the file')
    const failure = new Error('full')
    await run(() => Promise.reject(failure)).catch(() => {})
    await last(async () => {})
    await expect(run(async () => 'late')).rejects.toBe(failure)
  })
})
