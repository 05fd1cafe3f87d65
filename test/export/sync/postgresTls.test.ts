/** A Postgres beyond this machine is asked for TLS, unless its URL turns that off. */
import { createServer } from 'node:net'
import { lastValueFrom } from 'rxjs'
import { expect, it } from 'vitest'
import { sync } from '../../../src/export/index.js'
import { account } from './nights.js'

/** Codes of the first message of a client, by the protocol of Postgres. */
const TLS = 80_877_103
const PLAIN = 196_608

/** Returns the code of the first message that a server gets from a sync to it, by the given host. */
const firstMessage = async (host: string, query: string): Promise<number | undefined> => {
  let code: number | undefined
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (data) => {
      code ??= data.readInt32BE(4)
      socket.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = Object(server.address())
  const { payments } = account()
  const to = `postgres://user@${host}:${port}/finance${query}`
  const last = await lastValueFrom(sync(payments.charges, { to }))
  expect(last._tag).toBe('Left')
  await new Promise((resolve) => server.close(resolve))
  return code
}

it.each([
  ['0.0.0.0', '', TLS], // leads to this machine, but is none of its names
  ['0.0.0.0', '?sslmode=prefer', TLS],
  ['0.0.0.0', '?sslmode=disable', PLAIN],
  ['127.0.0.1', '', PLAIN],
  ['localhost', '', PLAIN],
])('at %s, with %j', async (host, query, code) => {
  expect(await firstMessage(host, query)).toBe(code)
})
