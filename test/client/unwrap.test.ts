import { EMPTY, of } from 'rxjs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { E } from '../../src/fp.js'
import {
  type Client,
  collect,
  left,
  PaymentsError,
  right,
  type Throttled,
  unwrap,
} from '../../src/index.js'

const throttled: Throttled = {
  _tag: 'Throttled',
  endpoint: 'GET /api/v1/charges/{id}',
  attempts: 3,
  message: 'GET /api/v1/charges/{id}: 429 after 3 attempts',
}

describe('unwrap', () => {
  it('resolves with the value of a call', async () => {
    expect(await unwrap(right(1))).toBe(1)
    expect(await unwrap(right(undefined))).toBeUndefined()
  })

  it('rejects with the error of a failure, whose stack names the function that awaits', async () => {
    const job = async () => {
      await unwrap(left(throttled))
    }
    const error: unknown = await job().catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(PaymentsError)
    expect(error).toMatchObject({ message: throttled.message, failure: throttled })
    expect(error instanceof Error && error.stack).toMatch(/at (async )?job /)
  })

  it('rejects a list with more values than it may have', async () => {
    const list = of(E.right(1), E.right(2))
    expect(await unwrap(list.pipe(collect({ max: 2 })))).toEqual([1, 2])
    const error: unknown = await unwrap(list.pipe(collect({ max: 1 }))).catch((e: unknown) => e)
    expect(error).toBeInstanceOf(RangeError)
    expect(error).toMatchObject({ message: 'more than 1 value came', cause: { _tag: 'TooMany' } })
  })

  it('says what to do with a stream that has not one value', async () => {
    await expect(unwrap(EMPTY)).rejects.toThrow(/one value, but none came: collect\(\{ max \}\)/)
    await expect(unwrap(of(E.right(1), E.right(2)))).rejects.toThrow(/but more came: collect/)
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
