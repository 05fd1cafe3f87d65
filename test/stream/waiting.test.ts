/**
 * Pages asked for less pages dealt with, in every view that can wait: never more than one ahead of the
 * one that is worked on, whatever the size of the list. A stream of node keeps one value of its own
 * besides, unless it is told not to.
 */
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ReadableStream, WritableStream } from 'node:stream/web'
import { from, lastValueFrom } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { later, type Numbers, numbers, upTo } from '../support/numbers.js'

const PAGES = 12
const SIZE = 3

/** Work that takes several turns of the event loop, so that all who would ask ahead have their chance. */
const work = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn++) await new Promise(setImmediate)
}

/** Reads a list in some view; the most pages that were asked for and not dealt with. */
const most = async (
  read: (list: Numbers, done: () => Promise<void>) => Promise<unknown>,
): Promise<number> => {
  let dealt = 0
  let peak = 0
  const { list, log } = numbers(PAGES * SIZE, SIZE, (page) => {
    peak = Math.max(peak, log.asked.length - dealt)
    return later(page)
  })
  await read(list, async () => {
    await work()
    dealt++
  })
  expect(dealt).toBe(PAGES)
  expect(log.asked).toEqual(upTo(PAGES))
  return peak
}

const eachPage = async (pages: AsyncIterable<unknown>, done: () => Promise<void>) => {
  for await (const _ of pages) await done()
}

const eachItem = async (items: AsyncIterable<unknown>, done: () => Promise<void>) => {
  let count = 0
  for await (const _ of items) if (++count % SIZE === 0) await done()
}

const asWritten = (done: () => Promise<void>) =>
  new Writable({
    objectMode: true,
    highWaterMark: 1,
    write: (_page, _encoding, next) => void done().then(() => next()),
  })

describe('a view that can wait', () => {
  it.each([
    [0, 1],
    [1, 2],
    [3, 4],
  ])('drains with %i ahead', async (prefetch, peak) => {
    expect(
      await most((list, done) => lastValueFrom(list.drain(() => from(done()), { prefetch }))),
    ).toBe(peak)
  })

  it('is a loop over pages or items', async () => {
    expect(await most((list, done) => eachPage(list.pages, done))).toBe(2)
    expect(await most(eachItem)).toBe(2)
  })

  it('is a web stream of pages or items', async () => {
    expect(await most((list, done) => eachPage(ReadableStream.from(list.pages), done))).toBe(2)
    expect(await most((list, done) => eachItem(ReadableStream.from(list), done))).toBe(2)
    const piped = await most((list, done) =>
      ReadableStream.from(list.pages).pipeTo(new WritableStream({ write: done })),
    )
    expect(piped).toBe(2)
  })

  it('is a node stream of pages or items, which keeps one of them', async () => {
    expect(await most((list, done) => eachPage(Readable.from(list.pages), done))).toBe(3)
    expect(await most((list, done) => eachItem(Readable.from(list), done))).toBe(3)
  })

  it('is a node stream that keeps none', async () => {
    const none = { highWaterMark: 0 }
    expect(await most((list, done) => eachPage(Readable.from(list.pages, none), done))).toBe(2)
    expect(await most((list, done) => eachItem(Readable.from(list, none), done))).toBe(2)
  })

  it('is the start of a pipeline of node streams', async () => {
    const piped = await most((list, done) => pipeline(list.pages, asWritten(done)))
    expect(piped).toBe(2)
  })
})
