/** The caller's async context: what an `AsyncLocalStorage` holds, such as the customer that a logger writes for. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { defer, delay, Observable, of } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { virtualTimer } from '../../bench/simulated/virtualTimer.js'
import { O } from '../../src/fp.js'
import {
  concurrency,
  createScheduler,
  rate,
  schedule,
  scheduleMap,
} from '../../src/scheduler/index.js'

const customers = ['a', 'b', 'c', 'd', 'e', 'f']

describe('a source runs in the async context of its subscriber', () => {
  it('also when it waited for another one, backed off, and was sent again', () => {
    const context = new AsyncLocalStorage<string>()
    const timer = virtualTimer()
    const scheduler = createScheduler<void>({
      tiers: [
        concurrency({ name: 'one at a time', limit: 1 }),
        rate({ name: 'rate', limit: 4, per: 1_000 }),
      ],
      timer,
    })
    const seen: Array<string> = []
    for (const customer of customers) {
      const attempts: Array<string> = []
      const source = defer(() => {
        attempts.push(context.getStore() ?? 'none')
        return of(attempts.length > 2).pipe(delay(10, timer))
      })
      context.run(customer, () => {
        source
          .pipe(schedule(scheduler, undefined, { refused: (ok) => (ok ? O.none : O.some({})) }))
          .subscribe(() => seen.push(attempts.join('')))
      })
    }
    context.run('of the timer', () => timer.flush())
    expect(seen.sort()).toEqual(['aaa', 'bbb', 'ccc', 'ddd', 'eee', 'fff'])
  })

  it('also when the request before it runs in another one and ends at once', () => {
    const context = new AsyncLocalStorage<string>()
    const scheduler = createScheduler<void>({ tiers: [concurrency({ name: 'one', limit: 1 })] })
    const seen: Array<string | undefined> = []
    let release = (): void => {}
    const first = new Observable<never>((subscriber) => {
      release = () => subscriber.complete()
    })
    first.pipe(schedule(scheduler, undefined)).subscribe()
    for (const customer of customers) {
      context.run(customer, () => {
        defer(() => of(context.getStore()))
          .pipe(schedule(scheduler, undefined))
          .subscribe((store) => seen.push(store))
      })
    }
    context.run('other', release)
    expect(seen).toEqual(customers)
  })

  it('for each item of scheduleMap', () => {
    const context = new AsyncLocalStorage<string>()
    const timer = virtualTimer()
    const scheduler = createScheduler<string>({
      tiers: [rate({ name: 'rate', limit: 1, per: 10 })],
      timer,
    })
    const seen: Array<string> = []
    const project = (item: string) => of(`${context.getStore()}${item}`)
    for (const customer of ['a', 'b']) {
      context.run(customer, () => {
        scheduleMap(scheduler, project, { key: (item) => item })(['1', '2', '3']).subscribe(
          (each) => seen.push(each),
        )
      })
    }
    context.run('of the timer', () => timer.flush())
    expect(seen.sort()).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'b3'])
  })
})

it('is bundled for browsers without any module of Node', async () => {
  const { output } = await build({
    input: fileURLToPath(new URL('../../src/scheduler/index.ts', import.meta.url)),
    external: ['rxjs', /^fp-ts\//],
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
    write: false,
    logLevel: 'silent',
  })
  const imports = output.flatMap((file) => (file.type === 'chunk' ? file.imports : []))
  expect(imports.filter((name) => !/^(rxjs|fp-ts\/.*)$/.test(name))).toEqual([])
  expect(output.map((file) => (file.type === 'chunk' ? file.code : '')).join('')).not.toMatch(
    /(from|import|require\()\s*["']node:/,
  )
})
