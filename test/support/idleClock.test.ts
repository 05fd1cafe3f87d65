/** The clock of tests with real input and output. Work of the process, and what it waits for, come before any time passes. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import {
  firstValueFrom,
  interval,
  lastValueFrom,
  map,
  race,
  repeat,
  take,
  timer,
  toArray,
} from 'rxjs'
import { expect, it, onTestFinished } from 'vitest'
import { IdleClock, idleClock, virtualTime } from './idleClock.js'
import { realWork } from './realWork.js'

const MINUTE = 60_000

/** The outcome of a promise, or `late` if `ms` of the clock pass before it settles. */
const within = (ms: number, promise: Promise<unknown>): Promise<unknown> =>
  firstValueFrom(race(promise, timer(ms, idleClock).pipe(map(() => 'late'))))

/** The address of a server in this process. */
const serve = async (answer: RequestListener): Promise<string> => {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const textOf = async (url: string): Promise<string> => (await fetch(url)).text()

it('passes an hour at once, to the millisecond', async () => {
  const began = idleClock.now()
  await lastValueFrom(timer(60 * MINUTE, idleClock))
  expect(idleClock.now() - began).toBe(60 * MINUTE)
})

it('comes to actions in the order in which they are due', async () => {
  const waits = [30, 10, 20, 10].map((ms, nth) => timer(ms, idleClock).pipe(map(() => nth)))
  const order: Array<number> = []
  await Promise.all(waits.map((wait) => lastValueFrom(wait).then((nth) => order.push(nth))))
  expect(order).toEqual([1, 3, 2, 0])
})

it('lets time pass while something is repeated without a wait', async () => {
  const busy = timer(0, idleClock).pipe(repeat())
  const [began, running] = [idleClock.now(), busy.subscribe()]
  await lastValueFrom(timer(100, idleClock))
  running.unsubscribe()
  expect(idleClock.now() - began).toBe(100)
})

it('leaves an action out that was unsubscribed, and passes no time for it', async () => {
  const began = idleClock.now()
  const ticks = interval(1_000, idleClock).pipe(take(3), toArray())
  timer(MINUTE, idleClock).subscribe().unsubscribe()
  expect(await lastValueFrom(ticks)).toEqual([0, 1, 2])
  expect(idleClock.now() - began).toBe(3_000)
})

it('passes beside the clock of a file that has ended, for which something is repeated', async () => {
  const other = new IdleClock(0)
  other.start()
  other.stop()
  const left = timer(0, other).pipe(repeat()).subscribe()
  onTestFinished(() => left.unsubscribe())
  const began = idleClock.now()
  await lastValueFrom(timer(MINUTE, idleClock))
  expect(idleClock.now() - began).toBe(MINUTE)
})

it('waits for files', async () => {
  const reading = Promise.all(Array.from({ length: 50 }, () => readFile('package-lock.json')))
  expect(
    await within(
      1,
      reading.then((files) => files.length),
    ),
  ).toBe(50)
})

it('waits for modules that are loaded when they are needed', async () => {
  const loading = import('../../src/bench/page.js').then(() => 'loaded')
  expect(await within(1, loading)).toBe('loaded')
})

it.skipIf(process.platform !== 'linux')('waits for what other threads compress', async () => {
  const packing = promisify(gzip)(randomBytes(20_000_000)).then(() => 'packed')
  expect(await within(1, packing)).toBe('packed')
})

it('waits for files and other threads also where time passes only in run', async () => {
  const { timer: clock, run } = virtualTime()
  const late = lastValueFrom(timer(1, clock).pipe(map(() => 'late')))
  const reading = Promise.all(Array.from({ length: 50 }, () => readFile('package-lock.json')))
  expect(await run(Promise.race([reading.then(() => 'read'), late]))).toBe('read')
})

it('waits for a server in this process, as long as that is at work', async () => {
  const body = 'x'.repeat(1_000_000)
  const url = await serve(async (_, response) => {
    await readFile('package-lock.json')
    response.end(body)
  })
  const all = Promise.all(Array.from({ length: 20 }, () => textOf(url)))
  expect(
    await within(
      1,
      all.then((texts) => texts.every((text) => text === body)),
    ),
  ).toBe(true)
})

it('passes while a server in this process does', async () => {
  const url = await serve((_, response) => {
    timer(2_000, idleClock).subscribe(() => response.end('in time'))
  })
  expect(await within(2_001, textOf(url))).toBe('in time')
  expect(await within(1_999, textOf(url))).toBe('late')
})

it('passes while a server in this process is silent', async () => {
  const url = await serve(() => {})
  expect(await within(MINUTE, textOf(url))).toBe('late')
})

it('waits for a server in another process', async () => {
  const slow = `
    const answer = (_, response) => setTimeout(() => response.end('there'), 300)
    const server = require('node:http').createServer(answer)
    server.listen(0, '127.0.0.1', () => console.log(server.address().port))`
  const child: ChildProcess = spawn(process.execPath, ['-e', slow])
  onTestFinished(() => void child.kill())
  const [port] = await once(child.stdout ?? child, 'data')
  expect(await within(1, textOf(`http://127.0.0.1:${String(port).trim()}`))).toBe('there')
})

it.each(['once', 'also while something is repeated in this process'])(
  'gives a server in another process up that never answers, %s',
  async (when) => {
    const { patience } = realWork
    realWork.patience = 1_000
    onTestFinished(() => {
      realWork.patience = patience
    })
    const repeated = when === 'once' ? undefined : setInterval(() => setImmediate(() => {}), 20)
    onTestFinished(() => clearInterval(repeated))
    const silent = `
    const server = require('node:http').createServer(() => {})
    server.listen(0, '127.0.0.1', () => console.log(server.address().port))`
    const child: ChildProcess = spawn(process.execPath, ['-e', silent])
    onTestFinished(() => void child.kill())
    const [port] = await once(child.stdout ?? child, 'data')
    const asked = textOf(`http://127.0.0.1:${String(port).trim()}`).catch(() => 'ended')
    for (let minutes = 0; minutes < 60; minutes++) expect(await within(MINUTE, asked)).toBe('late')
  },
)
