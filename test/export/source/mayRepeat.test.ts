import fc from 'fast-check'
import { expect, it } from 'vitest'
import { mayRepeat } from '../../../src/export/source/mayRepeat.js'
import { forAll } from '../../support/forAll.js'

const itself = (text: string): string => text

it('is true of every list that has a text twice', () => {
  const twice = mayRepeat(itself) // as it is used: for list after list
  forAll(fc.array(fc.string()), fc.string(), fc.nat(), fc.nat(), (texts, text, i, j) => {
    const places = [i % (texts.length + 1), j % (texts.length + 1)].sort((a, b) => b - a)
    const list = places.reduce((all, at) => all.toSpliced(at, 0, text), texts)
    expect(twice(list)).toBe(true)
  })
})

it('is false of ids that differ, and forgets them', () => {
  const twice = mayRepeat(itself)
  const ids = Array.from({ length: 2_000 }, (_, n) => `chg_${n}`)
  for (let time = 0; time < 3; time++) expect(twice(ids)).toBe(false)
  expect(twice([])).toBe(false)
  expect(twice([...ids, 'chg_1999'])).toBe(true)
})

it('is false of rows without keys', () => {
  expect(mayRepeat<string>((text) => (text === '' ? undefined : text))(['', 'a', '', 'b'])).toBe(
    false,
  )
})

it('is true of texts that end alike: who wants to know looks closer', () => {
  expect(mayRepeat(itself)(['one and the same end', 'two and the same end'])).toBe(true)
})
