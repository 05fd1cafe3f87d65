import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readPostgresUrl } from '../../../src/export/location/postgresUrl.js'
import { InvalidOption } from '../../../src/options/index.js'
import { runs } from '../../support/runs.js'

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
    expect(readPostgresUrl(text, 'to').name).toBe(`postgres://${host}/finance`)
  })

  const withParameter = (parameter: string) => () =>
    readPostgresUrl(`postgres://u:p@db.example/finance?sslmode=disable&${parameter}`, 'to')

  it.each(['schema=pay', 'currentSchema=pay', 'search_path=pay', 'searchpath=pay'])(
    'with a schema in its parameters is refused: %s',
    (parameter) => {
      expect(withParameter(parameter)).toThrow('name the schema with --table SCHEMA.NAME')
    },
  )

  it.each([
    ['sslmod=require', 'did you mean sslmode?'],
    ['ssl_mode=require', 'did you mean sslmode?'],
    ['statement_timout=1', 'did you mean statement_timeout?'],
    ['Password=x', 'did you mean password?'],
  ])('with a misspelt parameter is refused: %s', (parameter, hint) => {
    expect(withParameter(parameter)).toThrow(hint)
  })

  it.each(['pgbouncer=true', 'channel_binding=require', 'connection_limit=1', 'pool_timeout=0'])(
    'of another tool is read without its parameters: %s',
    (parameter) => {
      expect(withParameter(parameter)().ignored).toEqual([parameter.replace(/=.*/, '')])
    },
  )

  it('has no part of a password as its host, whatever is in the password', () => {
    const password = fc
      .array(fc.constantFrom(...SECRETS, 's', '7'), { minLength: 1 })
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(password, (secret) => {
        try {
          const { name, url } = readPostgresUrl(
            `postgres://user:${secret}@db.example:5432/finance`,
            'to',
          )
          expect(name).toBe('postgres://db.example:5432/finance')
          expect(new URL(url).host).toBe('db.example:5432')
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidOption)
        }
      }),
      { numRuns: runs(300) },
    )
  })
})
