import { expect, it } from 'vitest'
import { oneLine } from '../../src/decode/redact.js'

it.each([
  ['breaks a line', 'one\r\ntwo\u2028three\u0085four', 'one two three four'],
  ['drives a terminal', 'one\u001b[2J two\u0007', 'one [2J two'],
  ['turns the direction of a text', 'one\u202etwo\u2066three', 'one two three'],
  ['is not seen', 'one\u00adtwo\u200bthree\ufefffour\u{e0041}five', 'one two three four five'],
  ['stands around it', '\u00a0 one\t ', 'one'],
])('takes out what %s', (_, text, shown) => {
  expect(oneLine(text)).toBe(shown)
})

it('keeps repeated spaces', () => {
  expect(oneLine('a  b.ndjson')).toBe('a  b.ndjson')
  expect(oneLine(`a${' '.repeat(200_000)}b`)).toHaveLength(200_002)
})

it.each(['👩‍🚀', 'می‌خواهم'])('keeps what joins the letters of %s', (text) => {
  expect(oneLine(text)).toBe(text)
})
