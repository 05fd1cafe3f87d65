import { describe, expect, it } from 'vitest'
import { open } from './support.js'

describe('GET /api/v1/pa/reference/bin/lookup', () => {
  const lookUp = async (pan: string | undefined) => {
    const { get } = await open()
    const headers: Record<string, string> = pan === undefined ? {} : { 'x-pan': pan }
    return get('/api/v1/pa/reference/bin/lookup', headers)
  }

  it('answers all there is to know', async () => {
    expect(await lookUp('4111111111111111')).toEqual({
      status: 200,
      body: [
        {
          card_brand: 'visa',
          card_type: 'credit',
          commercial_card: false,
          issuer_country_code: 'US',
          issuer_name: 'Sandbox Bank',
          product_code: 'F',
          product_description: 'Visa Classic',
          product_subtype_code: 'VC',
          product_subtype_description: 'Visa Classic Credit',
        },
      ],
    })
  })

  it('takes the number from its header, and from nowhere else', async () => {
    const { get } = await open()
    const inQuery = '/api/v1/pa/reference/bin/lookup?pan=4111111111111111'
    expect(await get(inQuery)).toMatchObject({ status: 400, body: { code: 'validation_error' } })
  })

  it.each([
    ['4242424242424242', ['visa', 'visa']],
    ['5555555555554444', ['mastercard']],
    ['2223003122003222', ['mastercard']],
    ['6200000000000005', ['union pay']],
    ['378282246310005', ['american express']],
    ['9999999999999999', []],
  ])('knows %s as %j', async (pan, brands) => {
    const { body } = await lookUp(pan)
    expect(Array.isArray(body) && body.map((bin) => Object(bin).card_brand)).toEqual(brands)
  })

  it.each([
    [undefined, 400, 'validation_error'],
    ['12345678901', 400, 'validation_error'],
    ['41111111111111112222', 400, 'validation_error'],
    ['4111x11111111111', 400, 'validation_error'],
    ['4000000000000400', 400, 'validation_error'],
    ['4000000000000401', 401, 'unauthorized'],
    ['4000000000000403', 403, 'forbidden'],
    ['4000000000000404', 404, 'not_found'],
    ['4000000000000500', 500, 'internal_error'],
  ])('answers %s with %i %s, and does not repeat it', async (pan, status, code) => {
    const answered = await lookUp(pan)
    expect(answered).toMatchObject({ status, body: { code } })
    if (pan !== undefined) expect(JSON.stringify(answered)).not.toContain(pan.slice(0, 8))
  })
})
