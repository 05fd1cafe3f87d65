import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { O } from '../../../src/fp.js'
import { rowsFingerprint } from '../../../src/http/answer/readAnswer.js'
import { forAll } from '../../support/forAll.js'

interface Rows {
  readonly raw: ReadonlyArray<unknown>
}

/** Tests if one page is taken for the other. */
const sameRows = (one: Rows, other: Rows): boolean => {
  const mark = rowsFingerprint(one)
  return (
    O.isSome(mark) &&
    O.getEq({ equals: (a: string, b: string) => a === b }).equals(mark, rowsFingerprint(other))
  )
}

const rows = (ids: ReadonlyArray<unknown>) => ({ raw: ids.map((id) => ({ id, amount: 1 })) })

describe('the rows of two pages', () => {
  it('have one fingerprint if all ids are equal', () => {
    forAll(fc.uniqueArray(fc.string(), { minLength: 2 }), (ids) => {
      expect(sameRows(rows(ids), rows(ids))).toBe(true)
      expect(sameRows(rows(ids), rows([...ids, 'another']))).toBe(false)
      expect(sameRows(rows(ids), rows([...ids].reverse()))).toBe(false)
      expect(sameRows(rows(ids), rows([...ids.slice(1), `${ids[0]}x`]))).toBe(false)
    })
  })

  it.each([
    ['how many they are', ['a', 'b', 'c', 'd'], ['a', 'x', 'c', 'y', 'd']],
    ['the one in the middle', ['a', 'b', 'c'], ['a', 'd', 'c']],
  ])('are not the same by those at both ends, but for %s', (_, ids, others) => {
    expect(sameRows(rows(ids), rows(others))).toBe(false)
  })

  it.each([
    ['no rows', []],
    ['one id for all', ['a', 'a', 'a']],
    ['no ids', [undefined, undefined]],
    ['ids that are no texts', [1, 2]],
    ['one row without an id', ['a', 'b', undefined]],
    ['one row, without an id', [undefined]],
  ])('are not called the same with %s', (_, ids) => {
    expect(sameRows(rows(ids), rows(ids))).toBe(false)
  })

  it('have no fingerprint if rows are no objects', () => {
    for (const raw of [
      [1, 2],
      ['a', 'b'],
      [null, undefined],
    ]) {
      expect(sameRows({ raw }, { raw })).toBe(false)
    }
  })
})
