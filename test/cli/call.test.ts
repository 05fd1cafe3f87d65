import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { rows } from '../../src/api/index.js'
import { createSandbox, type Listening, listen } from '../../src/sandbox/index.js'
import { item } from '../support/batch.js'
import { cli, folder, jsonLines, type RunOptions } from './support.js'

const file = await folder()
beforeEach(() => mkdir(dirname(file('x')), { recursive: true }))

let server: Listening
let token = ''
beforeAll(async () => {
  server = await listen({ charges: 300, limits: false })
  const login = await fetch(`${server.url}/api/v1/authentication/login`, {
    method: 'POST',
    headers: { 'x-client-id': 'sandbox', 'x-api-key': 'sandbox-key' },
  })
  token = (await login.json()).token
})
afterAll(() => server.close())

const call = (args: ReadonlyArray<string>, options: RunOptions = {}) =>
  cli(['call', ...args], {
    env: {
      PAYMENTS_BASE_URL: server.url,
      ...keys,
      PAYMENTS_PARTNER_ID: 'sandbox-partner',
      PAYMENTS_PARTNER_SECRET: 'sandbox-secret',
      ...options.env,
    },
    ...options,
  })

const keys = { PAYMENTS_CLIENT_ID: 'sandbox', PAYMENTS_API_KEY: 'sandbox-key' }

/** The answer as a plain HTTP client gets it. */
const answerOf = async (path: string): Promise<string> => {
  const headers = { authorization: `Bearer ${token}` }
  return (await fetch(`${server.url}${path}`, { headers })).text()
}

it('lists each call of the interface but the login', async () => {
  const { status, stdout } = await call(['--list'])
  expect(status).toBe(0)
  const routes = stdout.split('\n').flatMap((line) => /\S+ +(\S+ \S+)$/.exec(line)?.[1] ?? [])
  expect(routes).toEqual(
    rows.map(({ route }) => route).filter((route) => !route.includes('/authentication/')),
  )
})

it('prints what the service answers', async () => {
  const [charge] = JSON.parse(await answerOf('/api/v1/charges?page_size=10')).items
  const { status, stdout, stderr } = await call(['charges.retrieve', `id=${charge.id}`])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toBe(`${await answerOf(`/api/v1/charges/${charge.id}`)}\n`)
})

it('prints a line for each row of a list, over its pages', async () => {
  const page = (n: number) => answerOf(`/api/v1/charges?page_size=100&page_num=${n}`)
  const pages = await Promise.all([0, 1, 2].map(page))
  const all = pages.flatMap((page) => JSON.parse(page).items)
  const { status, stdout } = await call(['charges.list'])
  expect(status).toBe(0)
  expect(jsonLines(stdout)).toEqual(all)
})

it('stops at --limit, and asks for no further page', async () => {
  const sandbox = createSandbox({ charges: 300, limits: false })
  const counted = await listen(sandbox)
  const env = { ...keys, PAYMENTS_BASE_URL: counted.url }
  const { stdout } = await call(['charges.list', 'page_size=10', '--limit', '20'], { env })
  await counted.close()
  expect(stdout.trimEnd().split('\n')).toHaveLength(20)
  expect(sandbox.stats().endpoints['GET /api/v1/charges']?.requests).toBe(2)
})

it('takes numbers, lists and nested objects as the codec wants them', async () => {
  const fields = ['name=2024', 'funding_source.id=linked_1', 'metadata.run=7']
  const { stdout } = await call(['batchTransfers.create', ...fields])
  expect(JSON.parse(stdout)).toMatchObject({
    name: '2024',
    metadata: { run: '7' },
    funding: { funding_source_id: 'linked_1' },
  })
  const webhook = ['webhooks.create', 'url=https://shop.example/hook', 'version=2026-08-21']
  const one = await call([...webhook, 'events=account.active'])
  expect(JSON.parse(one.stdout).events).toEqual(['account.active'])
  const two = await call([...webhook, 'events=account.active', 'events=account.closed'])
  expect(JSON.parse(two.stdout).events).toEqual(['account.active', 'account.closed'])
})

it('keeps the decimals of an amount', async () => {
  const { stdout } = await call(
    ['charges.create', 'amount=12.50', 'currency=EUR', 'reason=travel', 'reference=x', 'source=a'],
    { env: { PAYMENTS_BASE_URL: 'https://api.example.com', ...keys } },
  )
  expect(stdout).toContain('"amount": "12.50"')
})

it('takes the body from a file or from stdin', async () => {
  const batch = JSON.parse((await call(['batchTransfers.create'])).stdout)
  const path = file('items.json')
  await writeFile(path, JSON.stringify([item(1)]))
  const added = await call(['batchTransfers.addItems', `id=${batch.id}`, `items=@${path}`])
  expect(JSON.parse(added.stdout)).toMatchObject({ id: batch.id, total_item_count: 1 })
  const named = await call(['batchTransfers.create', '-'], { stdin: '{"name":"from stdin"}' })
  expect(JSON.parse(named.stdout).name).toBe('from stdin')
  const missing = await call(['batchTransfers.create', '@none.json'])
  expect(missing).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('cannot read none.json'),
  })
  const wrong = await call(['batchTransfers.create', '-'], { stdin: '{' })
  expect(wrong).toMatchObject({ status: 2, stderr: 'payments-rx: stdin is not JSON\n' })
})

it('shows a write, and sends it with --yes only', async () => {
  const away = { PAYMENTS_BASE_URL: 'https://api.example.com', ...keys }
  const shown = await call(['batchTransfers.submit', 'id=btr_1'], { env: away })
  expect(shown).toEqual({
    status: 2,
    stdout: 'POST https://api.example.com/api/v1/batch_transfers/btr_1/submit\n{}\n',
    stderr: `https://api.example.com, production, client id ...box, the platform's own account
payments-rx: nothing was sent: add --yes to send batchTransfers.submit
`,
  })
  const wrong = await call(['batchTransfers.create', 'nam=x'], { env: away })
  expect(wrong.status).toBe(2)
  expect(wrong.stderr).toMatch(/nam should be omitted.*did you mean name\?.*nothing was sent/)
})

it('takes a card number from stdin or a file only, and repeats it nowhere', async () => {
  const number = '4111111111111111'
  const refused = await call(['reference.lookUpBin', `pan=${number}`])
  expect(refused.status).toBe(2)
  expect(refused.stdout + refused.stderr).not.toContain('4111')
  const { status, stdout } = await call(['reference.lookUpBin', 'pan=-'], { stdin: `${number}\n` })
  expect(status).toBe(0)
  expect(JSON.parse(stdout)[0]).toMatchObject({ card_brand: 'visa' })
  expect(stdout).not.toContain(number)
})

it('uses the keys of the application for partner webhooks', async () => {
  expect(await call(['partnerWebhooks.list'])).toMatchObject({ status: 0, stdout: '' })
})

it('tells the status of a failure by its kind', async () => {
  const gone = await call(['charges.retrieve', 'id=none'])
  expect(gone).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('404') })
  const invalid = await call(['charges.list', 'page_size=3'])
  expect(invalid).toMatchObject({ status: 2, stderr: expect.stringContaining('page_size') })
})

it('tells by 4 that a write was made whose answer cannot be read', async () => {
  const garbled = createServer((request, response) => {
    const isLogin = request.url?.includes('login') === true
    const answer = { token, expires_at: new Date(Date.now() + 600_000).toISOString() }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isLogin ? answer : { id: 7 }))
  })
  await new Promise<void>((resolve) => garbled.listen(0, '127.0.0.1', resolve))
  const { port } = garbled.address() as AddressInfo
  const env = { ...keys, PAYMENTS_BASE_URL: `http://127.0.0.1:${port}` }
  const write = await call(['batchTransfers.create', 'request_id=a', '--yes'], { env })
  const read = await call(['batchTransfers.retrieve', 'id=a'], { env })
  garbled.close()
  expect([write.status, read.status]).toEqual([4, 1])
})

it.each([
  [['charges.retreive', 'id=x'], /did you mean charges\.retrieve\?/],
  [['charges.settle'], /unknown charges call: choose one of .*charges\.create, /],
  [['authentication.login'], /unknown call: see call --list/],
  [[], /the call name is missing: see call --list/],
  [['charges.retrieve', 'sk_live_secret'], /parameter 1 should be name=value/],
  [['charges.retrieve', 'id=1', '--limit', '3'], /--limit is only for lists/],
  [['charges.list', 'page_size=5'], /a whole number from 10 to 2000, but is number 5;/],
])('refuses %j, and says what to do', async (args, message) => {
  const { status, stderr } = await call(args)
  expect(status).toBe(2)
  expect(stderr).toMatch(message)
  expect(stderr).not.toContain('sk_live')
})

it('does not repeat the digits of a card number that is too short', async () => {
  const { status, stderr } = await call(['reference.lookUpBin', 'pan=-'], { stdin: '41111111111' })
  expect(status).toBe(2)
  expect(stderr).not.toContain('4111')
})

it('takes keys of metadata that have a dash', async () => {
  const { stdout } = await call(['batchTransfers.create', 'metadata.order-id=7'])
  expect(JSON.parse(stdout).metadata).toEqual({ 'order-id': '7' })
})

it('explains a call by the notes of the reference', async () => {
  const { status, stdout } = await call(['charges.create', '--help'])
  expect(status).toBe(0)
  expect(stdout).toMatch(/^Usage: payments-rx call charges\.create amount=\.\.\. currency=\.\.\./)
  expect(stdout).toContain('POST /api/v1/charges/create')
  expect(stdout).toContain('  reference (required)\n      text\n      Shown to the beneficiary')
  expect((await call(['reference.lookUpBin', '--help'])).stdout).toContain('  pan (required)')
  expect((await call(['reference.upload', '--help'])).stdout).toContain('  items (required)')
  expect(await cli(['help', 'call', 'charges.create'])).toMatchObject({ stdout })
})
