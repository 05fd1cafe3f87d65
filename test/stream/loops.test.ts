/** A list in a loop, as `for await` and node's streams read it. */
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { NEVER, throwError } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E } from '../../src/fp.js'
import { later, numbers, rightsOf, upTo } from '../support/numbers.js'
import { runs } from '../support/runs.js'

describe('a list in a loop', () => {
  it('gives every item, in order', async () => {
    const { list } = numbers(7, 3, later)
    const seen: Array<E.Either<string, number>> = []
    for await (const item of list) seen.push(item)
    expect(rightsOf(seen)).toEqual(upTo(7))
  })

  it('gives every page, in order', async () => {
    const { list } = numbers(7, 3, later)
    const seen: Array<number> = []
    for await (const page of list.pages) if (E.isRight(page)) seen.push(page.right.items.length)
    expect(seen).toEqual([3, 3, 1])
  })

  it('answers pages that are asked for at once, in order', async () => {
    const { list } = numbers(7, 3, later)
    const pages = list.pages[Symbol.asyncIterator]()
    const all = await Promise.all([pages.next(), pages.next(), pages.next()])
    const sizes = all.map(({ value }) => value && E.isRight(value) && value.right.items.length)
    expect(sizes).toEqual([3, 3, 1])
  })

  it('asks for one page ahead, and gives it up when the loop is left', async () => {
    const { list, log } = numbers(70, 2, (page, position) => (position < 3 ? later(page) : NEVER))
    let seen = 0
    for await (const _ of list) if (++seen === 5) break
    expect(log).toEqual({ asked: [0, 1, 2, 3], aborted: [3] })
  })

  it('ends a pending `next` when it is left', async () => {
    const { list, log } = numbers(7, 3, () => NEVER)
    const items = list[Symbol.asyncIterator]()
    const pending = items.next()
    await new Promise(setImmediate)
    expect(log.asked).toEqual([0])
    await items.return?.()
    expect(await pending).toEqual({ done: true, value: undefined })
    expect(log.aborted).toEqual([0])
    expect(await items.next()).toEqual({ done: true, value: undefined })
  })

  it('neither loses nor doubles an item when several are asked for at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 20 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 7 }),
        async (total, size, atOnce) => {
          const { list } = numbers(total, size, later)
          const items = list[Symbol.asyncIterator]()
          const seen: Array<number> = []
          for (let done = false; !done; ) {
            const some = await Promise.all(Array.from({ length: atOnce }, () => items.next()))
            done = some.some((result) => result.done === true)
            for (const { value } of some.filter((result) => result.done !== true)) {
              seen.push(...rightsOf([value]))
            }
          }
          expect(seen).toEqual(upTo(total))
        },
      ),
      { numRuns: runs(40) },
    )
  })

  it('answers in the order in which it was asked', async () => {
    const { list } = numbers(6, 3, later)
    const items = list[Symbol.asyncIterator]()
    const order: Array<string> = []
    const ask = async (name: string) => {
      const { value } = await items.next()
      order.push(`${name}: ${value && rightsOf([value])}`)
    }
    const first = ask('first').then(() => ask('third'))
    await Promise.all([first, ask('second')])
    expect(order.sort()).toEqual(['first: 0', 'second: 1', 'third: 2'])
  })

  it('answers three who ask again and again in the order in which they asked', async () => {
    const { list } = numbers(20, 5, later)
    const items = list[Symbol.asyncIterator]()
    const answers: Array<Promise<IteratorResult<unknown>>> = []
    const work = async (): Promise<void> => {
      const answer = items.next()
      answers.push(answer)
      const { done } = await answer
      if (done !== true) await work()
    }
    await Promise.all([work(), work(), work()])
    const values = (await Promise.all(answers)).filter(({ done }) => done !== true)
    expect(values.flatMap(({ value }) => rightsOf([value]))).toEqual(upTo(20))
  })

  it.each(upTo(15))('gives nothing once it is left, %i steps after it was asked', async (steps) => {
    const { list } = numbers(10, 5)
    const items = list[Symbol.asyncIterator]()
    const pending = items.next()
    for (let step = 0; step < steps; step++) await Promise.resolve()
    await items.return?.()
    await pending
    expect(await items.next()).toEqual({ done: true, value: undefined })
    expect(await items.next()).toEqual({ done: true, value: undefined })
  })

  it('breaks with a bug, in a loop as in a stream', async () => {
    const bug = new Error('bug')
    const throwing = numbers(7, 3, () => throwError(() => bug)).list
    const read = async () => {
      for await (const _ of throwing) void _
    }
    await expect(read()).rejects.toBe(bug)
    await expect(
      new Promise((resolve, reject) =>
        throwing.subscribe({ error: reject, complete: () => resolve('completed') }),
      ),
    ).rejects.toBe(bug)
  })

  it('is what `Readable.from` reads', async () => {
    const { list, log } = numbers(7, 3, later)
    const seen = await Readable.from(list).toArray()
    expect(rightsOf(seen)).toEqual(upTo(7))
    expect(log.asked).toEqual([0, 1, 2])
  })

  it('stops when a `Readable` made of it is destroyed', async () => {
    const { list, log } = numbers(70, 3, (page, position) => (position === 0 ? later(page) : NEVER))
    const readable = Readable.from(list)
    for await (const _ of readable) break
    await new Promise(setImmediate)
    expect(log).toEqual({ asked: [0, 1], aborted: [1] })
  })
})
