import { expect, it } from 'vitest'
import { login } from '../../src/api/authentication.js'
import { api } from '../../src/api/index.js'
import { services } from '../../src/sandbox/handlers/index.js'

it('every row of the interface is answered', () => {
  const rows = Object.values(api).flatMap((table) => Object.values(table).map(({ route }) => route))
  expect(services.map(({ row }) => row.route).sort()).toEqual([...rows, login.route].sort())
})
