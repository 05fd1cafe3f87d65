import { join } from 'node:path'
import * as t from 'io-ts'
import { lastValueFrom, type Observable, of, toArray } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { drift } from '../../src/decode/index.js'
import { exportTo, formatOf, openFile, openStream, sync, verify } from '../../src/export/index.js'
import { kyTransport } from '../../src/http/transport/kyTransport.js'
import { createClient, InvalidOption, unlimited } from '../../src/index.js'
import { createSandbox, listen, sandboxCredentials, virtualTime } from '../../src/sandbox/index.js'
import {
  concurrency,
  createScheduler,
  rate,
  schedule,
  scheduleMap,
} from '../../src/scheduler/index.js'
import { right } from '../../src/stream/either/ObservableEither.js'
import { collect, exponential } from '../../src/stream/index.js'
import { createReceiver, createVerifier, sign } from '../../src/webhooks/index.js'
import { tempFolder } from '../support/tempFolder.js'

const folder = tempFolder()

const sandbox = createSandbox({ charges: 20, limits: false })
const client = (more: object = {}) =>
  createClient({
    baseUrl: 'https://sandbox.test',
    credentials: sandboxCredentials,
    limits: unlimited,
    transport: kyTransport({ fetch: sandbox.fetch }),
    ...more,
  })
const all = <A>(source: Observable<A>) => lastValueFrom(source.pipe(toArray()))
const delivery = { headers: { 'x-timestamp': '1', 'x-signature': 'aa' }, body: '{}' }

let files = 0
const fresh = (extension: string) => join(folder, `${files++}.${extension}`)

/** Each function that takes options, with all that is required, and put to use. */
const functions: Readonly<Record<string, (more: object) => unknown>> = {
  createClient: (more) => all(client(more).charges.list({ page_size: 10 })),
  'client.with': (more) => all(client().with(more).charges.retrieve({ id: 'chg_1' })),
  'list.parallel': (more) => all(client().charges.list().parallel(2, more)),
  'list.drain': (more) => all(client().charges.list().drain(of, more)),
  'list.explain': (more) => client().charges.list().explain(more),
  kyTransport: (more) => kyTransport(more),
  createSandbox: async (more) => {
    const { fetch } = createSandbox(more)
    await fetch('https://sandbox.test/api/v1/charges')
  },
  listen: async (more) => {
    const { close } = await listen(sandbox, more)
    await close()
  },
  virtualTime: (more) => virtualTime(more),
  createVerifier: (more) => all(createVerifier({ secret: 's', ...more })(delivery)),
  createReceiver: (more) =>
    createReceiver({ secret: 's', ...more }).fetch(
      new Request('https://x.test', { method: 'POST', ...delivery }),
    ),
  sign: (more) => sign({ secret: 's', ...more })({ body: '{}', timestamp: 1 }),
  exportTo: (more) => all(exportTo(client().charges.list(), { out: fresh('csv'), ...more })),
  'exportTo, of a snapshot': (more) =>
    all(exportTo(client().charges.snapshot(), { out: fresh('parquet'), ...more })),
  'exportTo, into a function': (more) =>
    all(exportTo(client().charges.list(), { out: async () => {}, ...more })),
  sync: (more) => all(sync(client().charges, { to: fresh('sqlite'), ...more })),
  openFile: async (more) => {
    const format = formatOf(t.type({ a: t.string }))({ format: 'csv' })
    const file = await openFile({ path: fresh('csv'), format, ...more })
    await file.write([{ a: 'b' }])
    await file.finish()
  },
  openStream: async (more) => {
    const format = formatOf(t.type({ a: t.string }))({ format: 'csv' })
    const rows = await openStream({ stream: new WritableStream(), format, ...more })
    await rows.write([{ a: 'b' }])
  },
  formatOf: (more) => formatOf(t.type({ a: t.string }))({ format: 'csv', ...more }),
  verify: (more) => verify(folder, more),
  createScheduler: (more) => {
    const tiers = [rate({ name: 'a', limit: 5, per: 10 }), concurrency({ name: 'b', limit: 5 })]
    return all(of(1).pipe(schedule(createScheduler({ tiers, ...more }), 'x')))
  },
  rate: (more) => {
    const tier = rate({ name: 'a', limit: 5, per: 10, ...more })
    return all(of(1).pipe(schedule(createScheduler({ tiers: [tier] }), 'x')))
  },
  concurrency: (more) => {
    const tier = concurrency({ name: 'a', limit: 5, ...more })
    return all(of(1).pipe(schedule(createScheduler({ tiers: [tier] }), 'x')))
  },
  schedule: (more) => {
    const scheduler = createScheduler({ tiers: [rate({ name: 'a', limit: 5, per: 10 })] })
    return all(of(1).pipe(schedule(scheduler, 'x', { ...more })))
  },
  scheduleMap: (more) => {
    const scheduler = createScheduler({ tiers: [rate({ name: 'a', limit: 5, per: 10 })] })
    return all(scheduleMap(scheduler, (n: number) => of(n), { key: String, ...more })([1, 2]))
  },
  collect: (more) => all(right(1).pipe(collect({ max: 2, ...more }))),
  exponential: (more) => exponential({ first: 1, cap: 2, repeats: 3, random: () => 0, ...more })(1),
  drift: (more) => drift(more).watch('a', t.type({ b: t.string }))({ c: 1 }),
}

/** The names of all options, from the error about one that there is not. */
const namesOf = async (call: (more: object) => unknown): Promise<ReadonlyArray<string>> => {
  try {
    await call({ noSuchOptionAtAll: 1 })
  } catch (error) {
    const [, names = ''] = /unknown option; the options are (.*)$/.exec(String(error)) ?? []
    return names.split(', ')
  }
  return ['lane', 'refused', 'attempts'] // of `schedule`, which ignores others
}

const PLAIN = { configurable: true, enumerable: true, writable: true }

/** The places in `src` that read a name of `Object.prototype` meanwhile. */
const readsDuring = async (
  names: ReadonlyArray<string>,
  use: () => unknown,
): Promise<ReadonlyArray<string>> => {
  const reads: Array<string> = []
  for (const name of names) {
    Object.defineProperty(Object.prototype, name, {
      configurable: true,
      get: () => {
        const [, , reader = ''] = (new Error().stack ?? '').split('\n')
        const isOurs = reader.includes('/src/') && !reader.includes('/node_modules/')
        if (isOurs) reads.push(`${name}: ${reader.trim()}`)
        return undefined
      },
      set(value) {
        Object.defineProperty(this, name, { value, ...PLAIN })
      },
    })
  }
  try {
    await use()
  } finally {
    for (const name of names) Reflect.deleteProperty(Object.prototype, name)
  }
  return reads
}

describe.each(Object.entries(functions))('%s', (_, call) => {
  it('takes its options from the object itself', async () => {
    const names = await namesOf(call)
    expect(names).not.toEqual([])
    expect(await readsDuring(names, () => call({}))).toEqual([])
  })
})

/** `schedule` is called for each request, and checks nothing of what is no number. */
const checking = Object.entries(functions).filter(([name]) => name !== 'schedule')

it.each(checking)('%s names a wrong option, and takes undefined for none', async (_, call) => {
  const failed = async (more: object): Promise<unknown> => {
    try {
      await call(more)
      return undefined
    } catch (error) {
      return error
    }
  }
  for (const name of await namesOf(call)) {
    const wrong = await failed({ [name]: Symbol('hunter22') })
    expect([name, wrong]).toEqual([name, expect.any(InvalidOption)])
    expect(String(wrong)).toMatch(new RegExp(`${name} should be|because ${name}`))
    expect(String(wrong)).not.toContain('hunter22')
    const none = await failed({ [name]: undefined })
    if (none !== undefined) expect(String(none)).toContain(' should be ') // one that is needed
  }
})

it.each([
  ['status', 'FAILED'],
  ['page_num', 3],
])('a list sends no %s that it was not given', async (name, value) => {
  const targets: Array<string> = []
  const transport = ({ url }: { readonly url: string }) => {
    targets.push(url)
    return right({ status: 200, header: () => undefined, body: '{"token":"t","items":[]}' })
  }
  const list = client({ transport }).charges.list()
  const given = { configurable: true, writable: true, value }
  Object.defineProperty(Object.prototype, name, given)
  try {
    await all(list)
    await all(client({ transport }).charges.list())
  } finally {
    Reflect.deleteProperty(Object.prototype, name)
  }
  const lists = targets.filter((url) => url.includes('/charges'))
  expect(lists).toEqual(Array(2).fill('https://sandbox.test/api/v1/charges?page_num=0'))
})
