import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { asyncScheduler } from 'rxjs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createReceiver } from '../../src/webhooks/index.js'
import { until } from '../support/until.js'
import { cli as run } from './support.js'

/** In real time: an answer is not late because the machine is busy. */
const cli = (args: ReadonlyArray<string>, options = {}) =>
  run(args, { timer: asyncScheduler, ...options })

const secret = 'example-webhook-secret'
const env = { PAYMENTS_WEBHOOK_SECRET: secret }

let url = ''
let close = () => {}
let names: Array<string> = []
beforeEach(async () => {
  names = []
  const receiver = createReceiver({ secret, tolerance: Number.POSITIVE_INFINITY })
  receiver.events.subscribe((came) => names.push(came._tag === 'Right' ? came.right.name : ''))
  const server = createServer(getRequestListener(receiver.fetch))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
  close = () => void server.close()
})
afterEach(() => close())

it('sends an event, and prints what came back in five lines', async () => {
  const { status, stdout, stderr } = await cli(['trigger', 'account.active', '--url', url], { env })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^event {5}account\.active evt_[0-9a-f]{32}$/),
    expect.stringMatching(new RegExp(`^sent {6}POST ${url}, \\d+ bytes$`)),
    'signed    with the secret, now',
    expect.stringMatching(/^answered {2}200 in \d+ ms$/),
    'verdict   received',
  ])
  await until(() => names.length > 0) // emitted after the answer
  expect(names).toEqual(['account.active'])
  expect(stdout).not.toContain(secret)
})

it('takes data from the command line, and the secret from a flag', async () => {
  const args = ['--url', url, '--secret', secret, '--data', '{"x":1}']
  expect((await cli(['trigger', 'brand.new', ...args])).status).toBe(0)
  await until(() => names.length > 0)
  expect(names).toEqual(['brand.new'])
})

it('ends with 1 where nothing answers, and says why', async () => {
  const args = ['trigger', 'account.active', '--url', 'http://127.0.0.1:1/']
  const { status, stdout } = await cli(args, { env })
  expect(status).toBe(1)
  expect(stdout).toContain('no reply  ECONNREFUSED\n')
})

it.each([
  [500, 'neither accepted nor rejected'],
  [302, 'neither accepted nor rejected'],
  [204, 'accepted, but should have been rejected'],
  [401, 'rejected, as it should be'],
])('says of a forged event that is answered %i: %s', async (status, verdict) => {
  const server = createServer((_, answer) => answer.writeHead(status).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const args = ['--url', `http://127.0.0.1:${port}/`, '--fault', 'forged']
  const came = await cli(['trigger', 'account.active', ...args], { env })
  server.close()
  expect(came.status).toBe(status === 401 ? 0 : 1)
  expect(came.stdout).toContain(`verdict   ${verdict}`)
})

it('prints the names of all events', async () => {
  const { stdout } = await cli(['trigger', '--list'])
  expect(stdout.split('\n').slice(0, 31)).not.toContainEqual(expect.stringContaining('not in'))
  expect(stdout).toContain('charge.settled  (not in the API description)\n')
})

it.each([
  [[], 'the event name, --url, --secret or PAYMENTS_WEBHOOK_SECRET are required'],
  [['account.active', '--url', 'x', '--secret', secret], 'url should be an HTTP or HTTPS URL'],
  [
    ['acount.active', '--url', 'http://localhost/', '--secret', secret],
    'did you mean account.active?',
  ],
  [
    ['account.active', '--url', 'http://localhost/', '--secret', secret, '--data', '{'],
    '--data is not JSON',
  ],
])('refuses %j', async (args, message) => {
  const { status, stderr } = await cli(['trigger', ...args])
  expect(status).toBe(2)
  expect(stderr).toContain(message)
  expect(stderr).not.toContain(secret)
})
