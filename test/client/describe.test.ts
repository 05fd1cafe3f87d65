import { describe, expect, it } from 'vitest'
import { Charge, createClient, Webhook } from '../../src/index.js'

const client = createClient({
  baseUrl: 'https://payments.example/',
  credentials: { clientId: 'me', apiKey: 'a key of 16 chars', loginAs: 'acct_1' },
  partner: { clientId: 'application', clientSecret: 'another secret' },
  apiVersion: '2024-09-27',
  limits: { endpoint: 5 },
})

describe('describe', () => {
  it('has what a list reads, where, and as whom, without its page size', () => {
    const list = client
      .with({ onBehalfOf: 'acct_2' })
      .charges.list({ status: 'SETTLED', page_size: 50 })
    expect(list.parallel(4).describe()).toMatchObject({
      endpoint: 'GET /api/v1/charges',
      kind: 'list',
      query: { status: 'SETTLED' },
      codec: Charge,
      baseUrl: 'https://payments.example',
      clientId: 'me',
      loginAs: 'acct_1',
      onBehalfOf: 'acct_2',
      apiVersion: '2024-09-27',
      numbers: 'fast',
      perSecond: expect.any(Function),
    })
    expect(Object.keys(list.describe().query)).toEqual(['status'])
    expect(list.describe().perSecond()).toBe(5)
  })

  it('names the application of a list that a partner reads', () => {
    const { codec, clientId, loginAs } = client.partnerWebhooks.list().describe()
    expect([codec, clientId, loginAs]).toEqual([Webhook, 'application', undefined])
  })

  it('says what a snapshot reads', () => {
    const snapshot = client.charges.snapshot({ currency: 'USD', page_size: 10 }).parallel(2)
    expect(snapshot.describe()).toMatchObject({ kind: 'snapshot', query: { currency: 'USD' } })
  })

  it('takes the keys of the client out of values', () => {
    const { scrub } = client.charges.list().describe()
    expect(scrub({ note: 'a key of 16 chars' })).toEqual({ note: '[secret]' })
  })
})
