import { firstValueFrom } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/index.js'
import { createSandbox } from '../../src/sandbox/index.js'
import { items, loginHeaders, open } from './support.js'

const newHook = {
  events: ['account.active', 'charge.settled'],
  request_id: 'hook-1',
  url: 'https://shop.test/hook',
  version: '2026-08-21',
}

const hook = {
  id: expect.stringMatching(/^whk_[0-9a-f]{8}$/),
  ...newHook,
  secret: expect.stringMatching(/^whsec_[0-9a-f]{32}$/),
  created_at: '2026-01-02T03:04:05+0000',
  updated_at: '2026-01-02T03:04:05+0000',
}

const notFound = { status: 404, body: { code: 'not_found' } }

const refused = (code: string, source: string) => ({ status: 400, body: { code, source } })

const DUPLICATE = { code: 'request_id_duplicate' }

// 409 is listed for the account's own alone (interface, Errors)
const kinds = [
  ['webhooks', '/api/v1/webhooks', 'whk_', { status: 409, body: { code: 'already_exists' } }],
  ['partner webhooks', '/partner-api/v1/webhooks', 'pwh_', { status: 400, body: DUPLICATE }],
] as const

/** Calls on webhooks of either kind. */
const opened = async (path: string, options: Parameters<typeof open>[0] = {}) => {
  const all = await open(options)
  const { get, post } = path.startsWith('/partner') ? all.partner : all
  return { ...all, get, post, create: (hook: unknown) => post(`${path}/create`, hook) }
}

describe.each(kinds)('%s', (_, path, prefix, duplicate) => {
  const made = { ...hook, id: expect.stringMatching(new RegExp(`^${prefix}[0-9a-f]{8}$`)) }

  it('are made, found, listed, changed and deleted', async () => {
    const { create, get, post, clock } = await opened(path)
    const created = await create(newHook)
    expect(created).toEqual({ status: 201, body: made })
    const { id } = Object(created.body)
    expect(await get(`${path}/${id}`)).toEqual({ status: 200, body: created.body })
    expect(items(await get(path))).toEqual([created.body])
    clock.pass(1_000)
    const updated = await post(`${path}/${id}/update`, { url: 'https://other.test', events: [] })
    const now = { ...made, url: 'https://other.test', updated_at: '2026-01-02T03:04:06+0000' }
    expect(updated).toEqual({ status: 200, body: now })
    expect((await get(`${path}/${id}`)).body).toEqual(updated.body)
    expect(await post(`${path}/${id}/delete`, {})).toMatchObject({ status: 200 })
    expect(await get(`${path}/${id}`)).toMatchObject(notFound)
    expect(items(await get(path))).toEqual([])
    expect(await post(`${path}/${id}/update`, { url: 'x' })).toMatchObject(notFound)
    expect(await post(`${path}/${id}/delete`, {})).toMatchObject(notFound)
  })

  it('have a request_id and a secret of their own', async () => {
    const { create } = await opened(path)
    const first = await create(newHook)
    const again = await create({ ...newHook, url: 'https://other.test' })
    expect(again).toMatchObject({ ...duplicate, body: { ...duplicate.body, source: 'request_id' } })
    const second = await create({ ...newHook, request_id: 'hook-2' })
    expect(second.status).toBe(201)
    expect(Object(second.body).secret).not.toBe(Object(first.body).secret)
  })

  it.each([
    [{ events: undefined }, 'field_required', 'events'],
    [{ request_id: undefined }, 'field_required', 'request_id'],
    [{ url: undefined }, 'field_required', 'url'],
    [{ version: undefined }, 'field_required', 'version'],
    [{ version: '21.08.2026' }, 'invalid_argument', 'version'],
    [{ request_id: 'x'.repeat(51) }, 'invalid_argument', 'request_id'],
    [{ events: ['account.moved'] }, 'invalid_argument', 'events'],
    [{ events: ['account.dormant'], version: '2026-08-20' }, 'invalid_argument', 'events'],
    [{ events: ['account.closed'], version: '2026-08-20' }, 'invalid_argument', 'events'],
  ])('refuse %j', async (change, code, source) => {
    const { create } = await opened(path)
    expect(await create({ ...newHook, ...change })).toMatchObject(refused(code, source))
  })

  it.each([
    { events: ['account.dormant', 'account.closed'] },
    { events: ['payout.batch_transfers.booked', 'batch_transfers.booked'], version: '2024-01-01' },
    { request_id: 'x'.repeat(50) },
  ])('take %j', async (change) => {
    const { create } = await opened(path)
    expect(await create({ ...newHook, ...change })).toMatchObject({ status: 201 })
  })

  it('are listed newest first when told so', async () => {
    const { create, get } = await opened(path, { order: 'descending' })
    for (const request_id of ['hook-1', 'hook-2']) await create({ ...newHook, request_id })
    expect(items(await get(path)).map((row) => row.request_id)).toEqual(['hook-2', 'hook-1'])
  })

  it('need the url for an update', async () => {
    const { create, post } = await opened(path)
    const { id } = Object((await create(newHook)).body)
    expect(await post(`${path}/${id}/update`, {})).toMatchObject(refused('field_required', 'url'))
  })

  it.each(['', 'foo', 'localhost:3000', 'ftp://shop.test/'])('refuse the URL %j', async (url) => {
    const { create, post } = await opened(path)
    const noUrl = refused('invalid_argument', 'url')
    expect(await create({ ...newHook, url })).toMatchObject(noUrl)
    const { id } = Object((await create(newHook)).body)
    expect(await post(`${path}/${id}/update`, { url })).toMatchObject(noUrl)
  })
})

describe('scopes', () => {
  const scopes = ['account', 'spend.bill', 'charge.settled', 'charge.f']

  it.each(kinds)('say which events %s may have', async (_, path) => {
    const { create } = await opened(path, {
      credentials: [{ clientId: 'sandbox', apiKey: 'sandbox-key', scopes }],
      partner: { clientId: 'sandbox-partner', clientSecret: 'sandbox-secret', scopes },
    })
    const status = async (event: string) =>
      (await create({ ...newHook, request_id: event, events: [event] })).status
    expect(await status('account.active')).toBe(201)
    expect(await status('spend.bill.paid')).toBe(201)
    expect(await status('charge.settled')).toBe(201)
    expect(await status('charge.failed')).toBe(400)
    expect(await status('spend.expense.draft')).toBe(400)
    expect(await create({ ...newHook, events: ['account.active', 'charge.new'] })).toMatchObject({
      status: 400,
      body: {
        code: 'invalid_argument',
        message: 'charge.new is not allowed by the scopes of the credentials.',
        source: 'events',
      },
    })
  })

  it('may allow nothing', async () => {
    const credentials = [{ clientId: 'sandbox', apiKey: 'sandbox-key', scopes: [] }]
    const { post } = await open({ credentials })
    expect(await post('/api/v1/webhooks/create', newHook)).toMatchObject({
      status: 400,
      body: { message: 'account.active is not allowed by the scopes of the credentials.' },
    })
  })

  it('are those of the credentials that logged in', async () => {
    const credentials = [
      { clientId: 'a', apiKey: '1', scopes: ['account'] },
      { clientId: 'sandbox', apiKey: 'sandbox-key' },
    ]
    const { post, login } = await open({ credentials })
    const { body } = await login({ 'x-client-id': 'a', 'x-api-key': '1' })
    const headers = { authorization: `Bearer ${Object(body).token}` }
    const asked = { ...newHook, events: ['charge.settled'] }
    expect(await post('/api/v1/webhooks/create', asked, headers)).toMatchObject({ status: 400 })
    expect(await post('/api/v1/webhooks/create', asked)).toMatchObject({ status: 201 })
  })
})

it('webhooks of the account and of the partner are apart', async () => {
  const { post, get, partner } = await open()
  const own = await post('/api/v1/webhooks/create', newHook)
  const theirs = await partner.post('/partner-api/v1/webhooks/create', newHook)
  expect([own.status, theirs.status]).toEqual([201, 201]) // with the same request_id
  expect(Object(own.body).secret).not.toBe(Object(theirs.body).secret)
  expect(items(await get('/api/v1/webhooks'))).toEqual([own.body])
  expect(items(await partner.get('/partner-api/v1/webhooks'))).toEqual([theirs.body])
  expect(await partner.get(`/partner-api/v1/webhooks/${Object(own.body).id}`)).toMatchObject(
    notFound,
  )
})

describe('webhooks', () => {
  it('tell that they were deleted', async () => {
    const { post } = await open()
    const { id } = Object((await post('/api/v1/webhooks/create', newHook)).body)
    const deleted = { status: 200, body: { id, deleted: true } }
    expect(await post(`/api/v1/webhooks/${id}/delete`, {})).toEqual(deleted)
  })

  it('have a 401 of their own', async () => {
    const { send } = await open()
    const at = async (path: string, method = 'GET') => {
      const { status, body } = await send(path, { method })
      return [status, Object(body).code]
    }
    expect(await at('/api/v1/webhooks/create', 'POST')).toEqual([401, 'unauthorized'])
    expect(await at('/api/v1/webhooks/whk_1')).toEqual([401, 'unauthorized'])
    expect(await at('/api/v1/webhooks/whk_1/update', 'POST')).toEqual([401, 'unauthorized'])
    expect(await at('/api/v1/pa/reference/bin/lookup')).toEqual([401, 'unauthorized'])
    expect(await at('/api/v1/webhooks')).toEqual([401, 'credentials_invalid'])
    expect(await at('/api/v1/webhooks/whk_1/delete', 'POST')).toEqual([401, 'credentials_invalid'])
  })
})

describe('partner webhooks', () => {
  const PARTNER = '/partner-api/v1/webhooks'

  it('are asked for with Basic authentication, and nothing else is', async () => {
    const { get, post, partner, send, login } = await open()
    const invalid = { status: 401, body: { code: 'credentials_invalid' } }
    expect(await get(PARTNER)).toMatchObject(invalid) // Bearer
    expect(await post(`${PARTNER}/create`, newHook)).toMatchObject(invalid)
    expect(await send(PARTNER)).toMatchObject(invalid)
    const wrong = { authorization: `Basic ${btoa('sandbox-partner:other')}` }
    expect(await send(PARTNER, { headers: wrong })).toMatchObject(invalid)
    expect(await partner.get(PARTNER)).toMatchObject({ status: 200 })
    expect(await partner.get('/api/v1/charges')).toMatchObject(invalid)
    expect(await login({ ...loginHeaders, ...wrong })).toMatchObject({ status: 201 })
  })

  it('take the scheme in any letter case', async () => {
    const { send } = await open()
    const credentials = btoa('sandbox-partner:sandbox-secret')
    for (const scheme of ['basic', 'BASIC', 'Basic']) {
      const headers = { authorization: `${scheme} ${credentials}` }
      expect(await send(PARTNER, { headers })).toMatchObject({ status: 200 })
    }
  })

  it('know a partner whose name and password are no ASCII', async () => {
    for (const partner of [
      { clientId: 'Zoë', clientSecret: 'pässwörd' },
      { clientId: 'Łukasz', clientSecret: '密码 \u{1f511}' },
    ]) {
      const sandbox = createSandbox({ partner })
      const client = createClient({
        baseUrl: 'https://sandbox.test',
        partner,
        fetch: sandbox.fetch,
      })
      const listed = await firstValueFrom(client.partnerWebhooks.list().pages)
      expect(listed).toMatchObject({ _tag: 'Right', right: { items: [] } })
    }
  })

  it('are listed by number, 20 per page', async () => {
    const { partner } = await open()
    const ids = Array.from({ length: 45 }, (_, n) => `w${n}`)
    for (const request_id of ids)
      await partner.post(`${PARTNER}/create`, { ...newHook, request_id })
    const page = async (query: string) => {
      const answered = await partner.get(`${PARTNER}${query}`)
      const { has_more } = Object(answered.body)
      return [has_more, items(answered).map((row) => row.request_id)]
    }
    expect(await page('')).toEqual([true, ids.slice(0, 20)])
    expect(await page('?page_num=2')).toEqual([false, ids.slice(40)])
    expect(await page('?page_num=3')).toEqual([false, []])
    expect(await page('?page_num=1&page_size=22')).toEqual([true, ids.slice(22, 44)])
    expect(await page('?page_num=2&page_size=15')).toEqual([false, ids.slice(30)])
  })

  it('connect, disconnect and are deleted with texts, or nothing', async () => {
    const { partner } = await open()
    const { id } = Object((await partner.post(`${PARTNER}/create`, newHook)).body)
    const account_id = 'acct_1'
    const done = (body: string) => ({ status: 200, body })
    expect(await partner.post(`${PARTNER}/${id}/connect`, { account_id })).toEqual(done('OK'))
    expect(await partner.post(`${PARTNER}/${id}/disconnect`, { account_id })).toEqual(done('OK'))
    expect(await partner.post(`${PARTNER}/${id}/delete`)).toEqual(done(''))
    for (const name of ['connect', 'disconnect', 'delete']) {
      expect(await partner.post(`${PARTNER}/${id}/${name}`, { account_id })).toMatchObject(notFound)
    }
  })

  it('need an account or an organization, and that for its events', async () => {
    const { partner } = await open()
    let made = 0
    const connect = async (events: ReadonlyArray<string>, body: object) => {
      const asked = { ...newHook, request_id: `hook-${made++}`, events }
      const { id } = Object((await partner.post(`${PARTNER}/create`, asked)).body)
      return partner.post(`${PARTNER}/${id}/connect`, body)
    }
    const [own, spend] = [['account.active'], ['spend.bill.paid']]
    expect(await connect(own, {})).toMatchObject(refused('field_required', 'account_id'))
    expect(await connect(own, { org_id: 'org_1' })).toMatchObject({ status: 200 })
    const account = { account_id: 'acct_1' }
    expect(await connect(spend, account)).toMatchObject(refused('field_required', 'org_id'))
    expect(await connect(spend, { ...account, org_id: 'o' })).toMatchObject({ status: 200 })
  })
})
