/** A process that learns of a lower real limit tells the others: all are divided by it for a while. */
import { expect, it } from 'vitest'
import { emptyAccount, type Grant, report } from '../../src/quota/rule.js'

const LIMIT = 20

/** An account that is past its first lease, at a time in seconds; each report is evaluated anew. */
const account = () => {
  const state = emptyAccount()
  let seq = 0
  const tell = (at: number, id: string, had: number, less = 0): number | undefined => {
    const one = { limit: LIMIT, tail: 2_500, turn: 8_000, version: 0, held: 0, want: LIMIT }
    const claims = [
      { ...one, name: 'reserve', had: 0, less: 0 },
      { ...one, name: 'limit', had, less },
    ]
    const sent = { id, seq: ++seq, lease: 1_000, longest: 2_500, isLeaving: false, claims }
    const grants: ReadonlyArray<Grant> = report(state, 1_000 * at, 'run', sent)
    return grants[1]?.part
  }
  for (let at = 0; at < 5; at++) tell(at, 'a', 0)
  return tell
}

it('divides the lower limit, and then all of it again', () => {
  const tell = account()
  expect(tell(5, 'a', 20)).toBe(20)
  expect(tell(6, 'a', 20, 10)).toBe(10)
  expect(tell(6.1, 'b', 0)).toBe(0)
  expect(tell(6.2, 'a', 5)).toBe(5)
  expect(tell(6.3, 'b', 0)).toBe(5)
  expect(tell(7, 'a', 5)).toBe(5)
  expect(tell(7.1, 'b', 5)).toBe(5)
  expect(tell(8, 'a', 5)).toBe(10)
  expect(tell(8.1, 'b', 5)).toBe(10)
})

it('holds twice as long when the whole limit fails again', () => {
  const tell = account()
  expect(tell(5, 'a', 20, 10)).toBe(10)
  expect(tell(6, 'a', 10)).toBe(10)
  expect(tell(7, 'a', 10)).toBe(20)
  expect(tell(8, 'a', 20, 10)).toBe(10)
  for (let at = 9; at < 12; at++) expect(tell(at, 'a', 10)).toBe(10)
  expect(tell(12, 'a', 10)).toBe(20)
})

it('is come down to by each by its own part, however much the others have still', () => {
  const tell = account()
  const ids = ['a', 'b', 'c', 'd']
  for (const id of ids) tell(5, id, 0)
  tell(5.1, 'a', 5)
  for (const id of ids) tell(7, id, 5)
  expect(ids.map((id) => tell(8, id, 5))).toEqual([5, 5, 5, 5])
  expect(tell(8.1, 'd', 5, 4)).toBe(4)
  expect(['a', 'b', 'c'].map((id) => tell(8.2, id, 5))).toEqual([4, 4, 4])
})
