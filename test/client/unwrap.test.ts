import { EMPTY, from, lastValueFrom, of } from 'rxjs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { E } from '../../src/fp.js'
import {
  type Client,
  collect,
  orThrow,
  PaymentsError,
  right,
  type Throttled,
  toError,
  unwrap,
} from '../../src/index.js'

const throttled: Throttled = {
  _tag: 'Throttled',
  endpoint: 'GET /api/v1/charges/{id}',
  attempts: 3,
  code: 'too_many_requests',
  message: 'GET /api/v1/charges/{id}: 429 after 3 attempts',
}

const stackOf = (error: unknown): ReadonlyArray<string> =>
  error instanceof Error ? (error.stack ?? '').split('\n') : []

describe('unwrap', () => {
  it('resolves with the value of a call', async () => {
    expect(await unwrap(right(1))).toBe(1)
    expect(await unwrap(right(undefined))).toBeUndefined()
  })

  const later = from(Promise.resolve(E.left(throttled)))

  it('rejects with the error of a failure, whose stack begins with the caller', async () => {
    function job() {
      return unwrap(later)
    }
    const error: unknown = await job().catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(PaymentsError)
    expect(error).toMatchObject({ message: throttled.message, failure: throttled })
    const [header, first] = stackOf(error)
    expect(header).toBe(`PaymentsError: ${throttled.message}`)
    expect(first).toMatch(/at job .*unwrap\.test\.ts/)
  })

  it('has the functions that await in its stack', async () => {
    const inner = async () => {
      await Promise.resolve()
      await Promise.all([unwrap(later)])
    }
    const outer = async () => {
      await inner()
    }
    const stack = stackOf(await outer().catch((caught: unknown) => caught)).join('\n')
    expect(stack).toMatch(/at inner .*\n(.*\n)?.*at (async )?outer /)
  })

  it('rejects a list with more values than it may have', async () => {
    const list = of(E.right(1), E.right(2))
    expect(await unwrap(list.pipe(collect({ max: 2 })))).toEqual([1, 2])
    const error: unknown = await unwrap(list.pipe(collect({ max: 1 }))).catch((e: unknown) => e)
    expect(error).toBeInstanceOf(RangeError)
    expect(error).toMatchObject({
      message: 'collect: the stream emitted more than 1 value',
      cause: { _tag: 'TooMany' },
    })
  })

  it('says what to do with a stream that has not one value', async () => {
    await expect(unwrap(EMPTY)).rejects.toThrow(
      /one value, but it emitted none: for a list, use collect\(\{ max \}\)/,
    )
    await expect(unwrap(of(E.right(1), E.right(2)))).rejects.toThrow(
      /emitted more: for a list, use collect/,
    )
    function job() {
      return unwrap(EMPTY)
    }
    expect(stackOf(await job().catch((caught: unknown) => caught))[1]).toMatch(/at job /)
  })

  it('takes calls, and no lists, at compile time', () => {
    const calls = (payments: Client) => [
      unwrap(payments.charges.retrieve({ id: 'chg_1' })),
      unwrap(payments.charges.list().pipe(collect({ max: 10 }))),
      // @ts-expect-error a list has many values
      unwrap(payments.charges.list()),
    ]
    expectTypeOf(calls).toBeFunction()
    const status = async (payments: Client) =>
      (await unwrap(payments.charges.retrieve({ id: 'chg_1' }))).status
    expectTypeOf(status).returns.resolves.toExtend<string>()
  })
})

describe('orThrow', () => {
  const later = from(Promise.resolve(E.left(throttled)))

  it('ends as an error whose stack begins where it was put into the pipe', async () => {
    function job() {
      return lastValueFrom(later.pipe(orThrow(toError)))
    }
    const stack = stackOf(await job().catch((caught: unknown) => caught))
    expect(stack[0]).toBe(`PaymentsError: ${throttled.message}`)
    expect(stack.findIndex((line) => /at job /.test(line))).toBeLessThan(6)
    expect(stack.join('\n')).toMatch(/at job /)
  })

  it('keeps what is no error, or frozen, as it is', async () => {
    const frozen = Object.freeze(new Error('no'))
    for (const thrown of ['a word', frozen]) {
      const caught = lastValueFrom(later.pipe(orThrow(() => thrown))).catch((e: unknown) => e)
      expect(await caught).toBe(thrown)
    }
  })
})
