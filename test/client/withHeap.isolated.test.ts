/** Memory of a client made by `with`: a program may have one for each connected account. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { type Client, createClient } from '../../src/index.js'
import { ME } from '../support/lab.js'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const heap = (): number => {
  for (let i = 0; i < 3; i++) collect()
  return process.memoryUsage().heapUsed
}

const CLIENTS = 2_000

it('a client that no call was made with keeps a few kilobytes', () => {
  const payments = createClient({ baseUrl: 'https://platform.test', credentials: ME, log: false })
  const kept: Array<Client> = []
  const more = (): void => {
    for (let i = 0; i < CLIENTS; i++) kept.push(payments.with({ onBehalfOf: `acct_${i}` }))
  }
  more() // what is compiled is not counted
  const before = heap()
  more()
  expect((heap() - before) / CLIENTS).toBeLessThan(5_000)
  expect(kept).toHaveLength(2 * CLIENTS)
})

it('the calls of a client are the same ones each time', () => {
  const payments = createClient({ baseUrl: 'https://platform.test', credentials: ME, log: false })
  const { charges, batchTransfers } = payments
  expect(payments.charges).toBe(charges)
  expect(charges.retrieve).toBe(payments.charges.retrieve)
  expect(Object.keys(batchTransfers)).toContain('payAll')
  expect({ ...charges }.snapshot).toBe(charges.snapshot)
})
