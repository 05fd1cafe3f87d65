import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readPostgresUrl } from '../../../src/export/sql/postgresUrl.js'
import { InvalidOption } from '../../../src/options/index.js'

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

describe('a URL of Postgres', () => {
  it.each([
    ['postgres://u:p@db.example/finance', 'db.example'],
    ['postgres://u:p@ss@db.example:5432/finance?sslmode=disable', 'db.example:5432'],
    ['postgres:///finance', ''],
    ['postgresql://[::1]:5432/finance', '[::1]:5432'],
    ['postgres://u:100%pure@db.example/finance', 'db.example'],
  ])('%s has its host', (text, host) => {
    expect(readPostgresUrl(text).name).toBe(`postgres://${host}/finance`)
  })

  it('has no part of a password as its host, whatever is in the password', () => {
    const password = fc
      .array(fc.constantFrom(...SECRETS, 's', '7'), { minLength: 1 })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(password, (secret) => {
        try {
          const { name, url } = readPostgresUrl(`postgres://user:${secret}@db.example:5432/finance`)
          expect(name).toBe('postgres://db.example:5432/finance')
          expect(new URL(url).host).toBe('db.example:5432')
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidOption)
        }
      }),
      { numRuns: 300 },
    )
  })
})
