import { NEVER, of, throwError } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { views } from '../../src/stream/Paged.js'
import type { Pull } from '../../src/stream/Pull.js'
import { pullOf } from '../support/pulls.js'

const bug = new Error('bug')

const iterate = <P>(open: () => Pull<P>) =>
  views(() => open() as never).pages[Symbol.asyncIterator]() as AsyncGenerator<
    P,
    undefined,
    unknown
  >

describe('iterate', () => {
  it('aborts a pending `next` when an error is thrown into it, which comes out again', async () => {
    const { pull, counts } = pullOf<number>(NEVER)
    const source = iterate(() => pull)
    const pending = source.next()
    await Promise.resolve()
    await expect(source.throw(bug)).rejects.toBe(bug)
    expect(await pending).toEqual({ done: true, value: undefined })
    expect(counts).toEqual({ asked: 1, closed: 1, aborted: 1 })
  })

  it('takes an error that is thrown into a generator which delegates to it', async () => {
    const { pull, counts } = pullOf(of(1), of(2))
    async function* delegating() {
      yield* iterate(() => pull)
    }
    const source = delegating()
    await source.next()
    await expect(source.throw(bug)).rejects.toBe(bug)
    expect(counts.closed).toBe(1)
  })

  it('is disposed of at the end of its scope', async () => {
    const { pull, counts } = pullOf(of(1), of(2))
    {
      await using source = iterate(() => pull)
      await source.next()
    }
    expect(counts.closed).toBe(1)
  })

  it('opens nothing when it is left before the first value is wanted', async () => {
    let opened = 0
    const source = iterate(() => {
      opened++
      return pullOf(of(1)).pull
    })
    await source.return(undefined)
    expect(await source.next()).toEqual({ done: true, value: undefined })
    expect(opened).toBe(0)
  })

  it('rejects with an error, and is at its end after that', async () => {
    const { pull, counts } = pullOf(
      of(1),
      throwError(() => bug),
    )
    const source = iterate(() => pull)
    await source.next()
    await expect(source.next()).rejects.toBe(bug)
    expect(await source.next()).toEqual({ done: true, value: undefined })
    expect(counts.closed).toBe(1)
  })
})
