/** Public plain objects are read by every call of the process, so they are frozen. */
import { firstValueFrom, VirtualTimeScheduler } from 'rxjs'
import { describe, expect, it } from 'vitest'
import * as exported from '../src/export/index.js'
import * as root from '../src/index.js'
import * as sandbox from '../src/sandbox/index.js'
import * as scheduler from '../src/scheduler/index.js'
import * as stream from '../src/stream/index.js'
import * as webhooks from '../src/webhooks/index.js'
import { defaultScheme } from '../src/webhooks/Scheme.js'

/** Rows are looked up by what they are and hold codecs of io-ts, which are classes: they stand for themselves. */
const { api: _, ...named } = root

/** Everything that a caller could write to, by its path: objects without a class of their own, and lists. */
const writable = (path: string, value: unknown): ReadonlyArray<string> => {
  if (typeof value !== 'object' || value === null) return []
  const isPlain = Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
  if (!isPlain) return []
  const inside = Object.entries(value).flatMap(([name, one]) => writable(`${path}.${name}`, one))
  return Object.isFrozen(value) ? inside : [path, ...inside]
}

it.each(Object.entries({ exported, named, sandbox, scheduler, stream, webhooks }))(
  '%s has nothing that can be written to',
  (_name, names) => {
    const found = Object.entries(names).flatMap(([name, value]) => writable(name, value))
    expect(found).toEqual([])
  },
)

describe('a default', () => {
  it('is not changed by assignment, so that a stale delivery stays stale', async () => {
    const { createVerifier, sign } = webhooks
    expect(() => Object.assign(defaultScheme, { sentAt: () => 1_000_000 })).toThrow(TypeError)
    const secret = 'example-webhook-secret'
    const body = '{"id":"evt_1","name":"account.active","data":{}}'
    const timer = new VirtualTimeScheduler()
    timer.frame = 1_000_000
    const headers = await sign({ secret })({ body, timestamp: 0 })
    const came = await firstValueFrom(createVerifier({ secret, timer })({ headers, body }))
    expect(came).toMatchObject({ left: { _tag: 'Stale' } })
  })
})
