import { expect, it } from 'vitest'
import { escapeInvisible, oneLine } from '../../src/decode/redact.js'

it.each([
  ['breaks a line', 'one\r\ntwo\u2028three\u0085four', 'one two three four'],
  ['drives a terminal', 'one\u001b[2J two\u0007', 'one [2J two'],
  ['turns the direction of a text', 'one\u202etwo\u2066three', 'one two three'],
  ['is not seen', 'one\u00adtwo\u200bthree\ufefffour\u{e0041}five', 'one two three four five'],
  ['is of no width', 'pay\u200dpal a\ufe0fb c\u3164d', 'pay pal a b c d'],
  ['drives an old terminal', 'one\u009b31mtwo', 'one 31mtwo'],
  ['stands around it', '\u00a0 one\t ', 'one'],
])('takes out what %s', (_, text, shown) => {
  expect(oneLine(text)).toBe(shown)
})

it('keeps repeated spaces', () => {
  expect(oneLine('a  b.ndjson')).toBe('a  b.ndjson')
  expect(oneLine(`a${' '.repeat(200_000)}b`)).toHaveLength(200_002)
})

it.each(['👩‍🚀', '❤️‍🔥', 'می‌خواهم'])('keeps what joins the letters of %s', (text) => {
  expect(oneLine(text)).toBe(text)
})

it.each([
  ['s3://AKIA:a/b+c=@bucket/p/ is wrong', 's3://***@bucket/p/ is wrong'],
  ['redis://:password@host', 'redis://***@host'],
  ['"https://token@host/"', '"https://***@host/"'],
  ['http://host:8080/x@y', 'http://host:8080/x@y'],
  ['s3://bucket/x@y/ and me@here', 's3://bucket/x@y/ and me@here'],
  ['s3://b/p/?X-Amz-Signature=ab12: waiting', 's3://b/p/?X-Amz-Signature=*** waiting'],
  [
    'https://b/x?X-Amz-Date=1&X-Amz-Credential=k/1&x-amz-security-token=t is gone',
    'https://b/x?X-Amz-Date=1&X-Amz-Credential=***&x-amz-security-token=*** is gone',
  ],
])('leaves user and password, and what signs it, out of %s', (text, shown) => {
  expect(oneLine(text)).toBe(shown)
})

it('takes time in proportion to a text', () => {
  for (const part of ['a://', 'a://:@', '\u200d', '\u3164 ']) {
    expect(oneLine(part.repeat(300_000)).length).toBeLessThanOrEqual(part.length * 300_000)
  }
})

it('escapes what drives a terminal, and leaves JSON the value that it is', () => {
  const value = { '\u009b31m': 'a\u202eb\u200d\u007f\u{e0041}', name: 'می‌خواهم 👩‍🚀' }
  const text = escapeInvisible(JSON.stringify(value))
  expect(text).toBe(
    String.raw`{"\u009b31m":"a\u202eb\u200d\u007f\udb40\udc41","name":"می‌خواهم 👩‍🚀"}`,
  )
  expect(JSON.parse(text)).toEqual(value)
  expect(escapeInvisible('one\ntwo\n')).toBe('one\ntwo\n')
})
