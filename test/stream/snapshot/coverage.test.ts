/** The part of the time asked for that one answer covers. */
import { describe, expect, it } from 'vitest'
import { coverageOf, type Shown } from '../../../src/stream/snapshot/coverage.js'

const asked = { from: 10_000, to: 20_000 }
const of = (times: ReadonlyArray<number>, more = true, orderBefore?: Shown) =>
  coverageOf({ asked, times, more, orderBefore })

describe('an answer', () => {
  it('without more covers all, whatever it holds', () => {
    expect(of([], false)).toEqual({ _tag: 'Covers', span: asked, shown: undefined })
    expect(of([12_000, 11_000, 13_000], false)).toMatchObject({ _tag: 'Covers', span: asked })
  })

  it('in ascending order covers all before the second of its last row', () => {
    expect(of([10_000, 11_000, 14_700])).toEqual({
      _tag: 'Covers',
      span: { from: 10_000, to: 14_000 },
      shown: 'ascending',
    })
  })

  it('in descending order covers all after the second of its last row', () => {
    expect(of([19_000, 15_000, 14_700])).toEqual({
      _tag: 'Covers',
      span: { from: 15_000, to: 20_000 },
      shown: 'descending',
    })
  })

  it('takes rows whose time cannot be read for nothing', () => {
    expect(of([10_000, Number.NaN, 14_700])).toMatchObject({ span: { from: 10_000, to: 14_000 } })
  })

  it('does not reach past what was asked, where the service takes in the second after it', () => {
    expect(of([10_000, 20_400])).toMatchObject({ span: asked })
  })

  it('in one second is crowded, where its order is known', () => {
    const crowded = (from: number, to: number, shown: Shown) => ({
      _tag: 'Crowded',
      span: { from, to },
      shown,
    })
    expect(of([10_100, 10_900])).toEqual(crowded(10_000, 11_000, 'ascending'))
    expect(of([19_900, 19_100])).toEqual(crowded(19_000, 20_000, 'descending'))
    expect(of([10_000, 10_000], true, 'ascending')).toEqual(crowded(10_000, 11_000, 'ascending'))
  })

  it('with one moment shows that nothing comes before it', () => {
    expect(of([15_000, 15_000], true, 'ascending')).toMatchObject({
      span: { from: 10_000, to: 15_000 },
    })
    expect(of([15_000, 15_000], true, 'descending')).toMatchObject({
      span: { from: 16_000, to: 20_000 },
    })
  })

  it('without order, or without rows, is asked for in halves', () => {
    const halves = { _tag: 'Halves', at: 15_000 }
    expect(of([11_000, 13_000, 12_000])).toEqual({ ...halves, shown: 'none' })
    expect(of([12_000, 12_000])).toEqual(halves)
    expect(of([])).toEqual(halves)
    expect(of([Number.NaN])).toEqual(halves)
  })

  it('is no more than itself once another has shown that there is no order', () => {
    const halves = { _tag: 'Halves', at: 15_000, shown: 'none' }
    for (const times of [[11_000, 13_000], [13_000, 11_000], [12_000, 12_000], []]) {
      expect(of(times, true, 'none')).toEqual(halves)
      expect(of(times, false, 'none')).toEqual({ _tag: 'Covers', span: asked, shown: 'none' })
    }
    expect(of([13_000, 11_000], true, 'ascending')).toEqual(halves)
    expect(of([11_000, 13_000], true, 'descending')).toEqual(halves)
    expect(of([13_000, 11_000], false, 'ascending')).toMatchObject({ shown: 'none' })
    expect(of([11_000, 13_000], true, 'ascending')).toMatchObject({ shown: 'ascending' })
  })

  it('without order in one second is read by pages', () => {
    const second = { from: 10_000, to: 11_000 }
    const told = coverageOf({ asked: second, times: [], more: true, orderBefore: undefined })
    expect(told).toEqual({ _tag: 'Crowded', span: second })
  })

  it('may have all of the second that was asked for from its middle on', () => {
    const told = (time: number) =>
      coverageOf({
        asked: { from: 10_500, to: 20_000 },
        times: [time],
        more: false,
        orderBefore: undefined,
      })
    expect(told(10_000)).toMatchObject({ _tag: 'Covers' })
    expect(told(9_999)).toEqual({ _tag: 'OutsideFilter' })
  })

  it('from elsewhere is astray', () => {
    expect(of([9_999, 12_000])).toEqual({ _tag: 'OutsideFilter' })
    expect(of([12_000, 21_000])).toEqual({ _tag: 'OutsideFilter' })
    expect(of([12_000, 21_000], false)).toEqual({ _tag: 'OutsideFilter' })
  })
})
