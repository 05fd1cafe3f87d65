import { describe, expect, expectTypeOf, it } from 'vitest'
import { E } from '../../src/fp.js'
import type { ObservableEither } from '../../src/stream/either/ObservableEither.js'
import { collect, InvalidOption, type TooMany, tally } from '../../src/stream/index.js'
import { marbles, marbleTest } from '../support/marbles.js'

type Ea = E.Either<string, number>

const values: Readonly<Record<string, Ea>> = {
  a: E.right(1),
  b: E.right(2),
  c: E.right(3),
  L: E.left('bad'),
}
const out = {
  e: E.right([]),
  x: E.right([1, 2, 3]),
  L: E.left('bad'),
  T: E.left({ _tag: 'TooMany', max: 2, message: 'collect: the stream emitted more than 2 values' }),
  t: E.left({ _tag: 'TooMany', max: 1, message: 'collect: the stream emitted more than 1 value' }),
}
const bug = new Error('bug')

describe('collect', () => {
  it.each([
    ['many', '   --a--b--c|', '---------(x|)', '^--------!', 3],
    ['none', '   --|       ', '--(e|)       ', '^-!       ', 3],
    ['never', '  ----------', '----------   ', '^         ', 3],
    ['a failure', '--a--L--c|', '-----(L|)    ', '^----!    ', 3],
    ['too many', ' --a--b--c|', '--------(T|) ', '^-------! ', 2],
    ['one more', ' --a--b--c|', '-----(t|)    ', '^----!    ', 1],
    ['a bug', '   --a--#    ', '-----#      ', '^----!    ', 3],
  ])('takes %s', (_, source, expected, subscribed, max) =>
    marbles((m) => {
      const cold = m.cold(source, values, bug)
      m.expectObservable(cold.pipe(collect({ max }))).toBe(expected, out, bug)
      m.expectSubscriptions(cold.subscriptions).toBe(subscribed)
    })(),
  )

  marbleTest('begins anew with each subscription, and leaves with the one who left', (m) => {
    const cold = m.cold('-a-b-c|', values)
    const all = cold.pipe(collect({ max: 3 }))
    m.expectObservable(all).toBe('------(x|)', out)
    m.expectObservable(all, '---^').toBe('---------(x|)', out)
    m.expectObservable(all, '^--!').toBe('----')
    m.expectSubscriptions(cold.subscriptions).toBe(['^-----!', '^--!', '---^-----!'])
  })

  it.each([Number.NaN, -1, 2.5])('takes no %d for its max', (max) => {
    expect(() => collect({ max })).toThrow(InvalidOption)
    expect(() => collect({ max })).toThrow(
      /^collect: max should be a whole number of at least 0, or Infinity/,
    )
    expect(() => collect({ max: Number.POSITIVE_INFINITY })).not.toThrow()
  })

  it('says what it takes, where it is given something else', () => {
    const called = (...given: ReadonlyArray<unknown>) => Reflect.apply(collect, undefined, given)
    expect(() => called()).toThrow(
      'collect: options should be an object like { max }, but is missing',
    )
    expect(() => called({ limit: 1 })).toThrow('collect: limit should be omitted')
  })

  it('adds its failure to the type', () => {
    const of = (source: ObservableEither<string, number>) => collect({ max: 1 })(source)
    expectTypeOf(of).returns.toEqualTypeOf<
      ObservableEither<string | TooMany, ReadonlyArray<number>>
    >()
  })
})

describe('tally', () => {
  it.each([
    ['many', '   --a--L--c|', '---------(n|)', { n: { rights: 2, lefts: 1 } }],
    ['none', '   --|       ', '--(n|)       ', { n: { rights: 0, lefts: 0 } }],
    ['never', '  ----------', '----------   ', {}],
    ['a bug', '   --a--#    ', '-----#      ', {}],
  ])('takes %s', (_, source, expected, counts: Readonly<Record<string, unknown>>) =>
    marbles((m) => {
      const cold = m.cold(source, values, bug)
      m.expectObservable(cold.pipe(tally)).toBe(expected, counts, bug)
    })(),
  )
})
