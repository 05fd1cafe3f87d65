import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readServiceUrl } from '../../src/store/serviceUrl.js'

const SECRETS = [
  'p@ss',
  'a/b',
  'x#y',
  '100%',
  'q?r',
  'a:b',
  '12/34',
  '@@',
  '%zz',
  'p w',
  '[x',
  '#@/',
]

describe('a URL of a service', () => {
  it.each([
    ['postgres://u:p@db.example/finance', 'db.example'],
    ['postgres://u:p@ss@db.example:5432/finance?sslmode=disable', 'db.example:5432'],
    ['postgres:///finance', ''],
    ['postgres://[::1]:5432/finance', '[::1]:5432'],
    ['postgres://u:100%pure@db.example/finance', 'db.example'],
    ['redis://u:100%pure@cache:6379/0', 'cache:6379'],
  ])('%s has its host', (text, host) => {
    expect(readServiceUrl(text)?.host).toBe(host)
  })

  it('has no part of a password as its host, whatever is in the password', () => {
    const password = fc
      .array(fc.constantFrom(...SECRETS, 's', '7'), { minLength: 1 })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(password, fc.constantFrom('postgres', 'redis'), (secret, scheme) => {
        const read = readServiceUrl(`${scheme}://user:${secret}@db.example:5432/finance`)
        if (read === undefined) return
        expect(read.host).toBe('db.example:5432')
        expect(new URL(read.url).host).toBe('db.example:5432')
      }),
      { numRuns: 300 },
    )
  })
})
