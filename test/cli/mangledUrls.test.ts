/** A hundred mangled URLs of each kind of destination: one line, no secret, and no look-up of a part of a password. */
import dns from 'node:dns'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { cli } from './support.js'

/** Names that were looked up. */
let looked: ReadonlyArray<unknown> = []
beforeEach(() => {
  const { lookup } = dns
  looked = []
  vi.spyOn(dns, 'lookup').mockImplementation((...args: ReadonlyArray<unknown>) => {
    looked = [...looked, args[0]]
    return Reflect.apply(lookup, dns, args)
  })
})

const KEYS = ['--base-url', 'http://127.0.0.1:9', '--client-id', 'a', '--api-key', 'b']
const sync = (to: string) => ['sync', 'charges', to, ...KEYS, '--progress', 'none']
const file = (out: string) => ['export', 'charges', ...KEYS, '--out', out, '--progress', 'none']

/** In each password there is a word that is shown nowhere. */
const WORD = 'hunter2Word'
const PASSWORDS = [
  ...['@', '/', '#', '%', '?', ':', '[', ' ', '%zz', '%00', '%ff', '@/', '/@', '#@', '\\'].flatMap(
    (odd) => [`a${odd}${WORD}`, `${WORD}${odd}9`],
  ),
  `12/${WORD}`,
  `${WORD}@${WORD}@`,
]

const KINDS: ReadonlyArray<readonly [string, (password: string) => ReadonlyArray<string>]> = [
  ['Postgres', (p) => sync(`postgres://user:${p}@127.0.0.1:1/finance?sslmode=disable`)],
  ['Postgres without a host', (p) => sync(`postgres://user:${p.replaceAll('@', '')}x/finance`)],
  ['S3', (p) => sync(`s3://AKIA:${p}@bucket/charges/`)],
  ['SQLite', (p) => sync(`sqlite://user:${p}@host/charges.db`)],
  ['a file', (p) => file(`https://user:${p}@host/charges.csv`)],
]

describe.each(KINDS)('a mangled URL of %s', (_, args) => {
  it.each(PASSWORDS)('with password %j is refused in one line, without it', async (password) => {
    const { status, stdout, stderr } = await cli(args(password))
    expect(`${stdout}${stderr}`).not.toContain(WORD)
    expect(stderr).toMatch(/^(incomplete.*\n)?payments-rx: [^\n]+\n$/)
    // a password that can stand there as it is: nothing listens on that port
    const isRead = /ECONNREFUSED/.test(stderr)
    expect(status).toBe(isRead ? 1 : 2)
    expect(looked).toEqual([])
  })
})
