import { createHmac } from 'node:crypto'
import * as fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { hmac, type SignOptions, sign } from '../../src/webhooks/index.js'
import { at, headers, NOW, SECRET, SETTLED, TIMESTAMP, tagOf, verified } from './support.js'

describe('sign', () => {
  it('makes the headers of a delivery', async () => {
    expect(await sign({ secret: SECRET })({ body: SETTLED, timestamp: NOW })).toEqual({
      'x-timestamp': '1700000000000',
      'x-signature': '546e2e2d75987b2e25e5f4bb7b5f65d718e01356a83ff1b9e0b8ba1c63835731',
    })
  })

  it('signs as of now where no time is given', async () => {
    const { 'x-timestamp': timestamp } = await sign({ secret: SECRET, timer: at(NOW + 0.5) })({
      body: SETTLED,
    })
    expect(timestamp).toBe(TIMESTAMP)
    const signed = await sign({ secret: SECRET, timer: at(NOW) })({ body: SETTLED })
    expect(tagOf(await verified({ headers: signed, body: SETTLED }))).toBe('evt_1')
  })

  it('signs any bytes, with any secret, as node:crypto does', () =>
    fc.assert(
      fc.asyncProperty(
        fc.uint8Array(),
        fc.nat(),
        fc.stringMatching(/^\S+$/u),
        async (body, timestamp, secret) => {
          const signed = await sign({ secret })({ body, timestamp })
          expect(signed).toEqual(headers(body, { secret, timestamp: String(timestamp) }))
        },
      ),
    ))

  it('is believed: a text, its bytes, or a view of them', async () => {
    const bytes = new TextEncoder().encode(SETTLED)
    for (const body of [SETTLED, bytes, bytes.buffer, Buffer.from(`_${SETTLED}`).subarray(1)]) {
      const signed = await sign({ secret: SECRET })({ body, timestamp: TIMESTAMP })
      expect(tagOf(await verified({ headers: signed, body }))).toBe('evt_1')
    }
  })

  it('says what is missing where a page was not loaded over HTTPS', async () => {
    vi.stubGlobal('crypto', { getRandomValues: () => {} })
    vi.spyOn(process, 'getBuiltinModule').mockReturnValue(undefined)
    onTestFinished(() => {
      vi.restoreAllMocks()
      vi.unstubAllGlobals()
    })
    const missing =
      /^crypto\.subtle is missing: browsers provide it only to pages loaded over HTTPS/
    await expect(sign({ secret: SECRET })({ body: SETTLED, timestamp: NOW })).rejects.toThrow(
      missing,
    )
    const delivery = { headers: headers(SETTLED), body: SETTLED }
    await expect(verified(delivery)).rejects.toThrow(missing)
  })

  it('signs in the way of the record that verifies', async () => {
    const scheme = {
      timestampHeader: 'sent',
      signatureHeader: 'seal',
      sentAt: (seconds: string) => Number(seconds) * 1_000,
      message: (seconds: string, body: Uint8Array) =>
        Buffer.concat([Buffer.from(`${seconds}.`), body]),
      algorithm: hmac('SHA-512'),
      signature: ({ secret, message }: { secret: string; message: Uint8Array }) =>
        createHmac('sha512', secret).update(message).digest('hex'),
    }
    const signed = await sign({ secret: SECRET, scheme })({ body: SETTLED, timestamp: NOW / 1_000 })
    expect(Object.keys(signed)).toEqual(['sent', 'seal'])
    expect(tagOf(await verified({ headers: signed, body: SETTLED }, { scheme }))).toBe('evt_1')
    expect(tagOf(await verified({ headers: signed, body: `${SETTLED} ` }, { scheme }))).toBe(
      'Forged',
    )
  })

  it.each(['', ' ', `${SECRET}\n`])('takes no %j for a secret', (secret) => {
    expect(() => sign({ secret })).toThrow(/^secret should be/)
  })

  it('takes a record, and shows no secret that is none', () => {
    const given: unknown = SECRET
    // what a caller without types may hand over
    expect(() => sign(given as SignOptions)).toThrow(
      /^options should be an object like \{ secret, scheme, timer \}, but is a string$/,
    )
    // @ts-expect-error
    expect(() => sign({})).toThrow(/^secret should be .*missing$/)
  })

  it('signs nothing that was parsed, and does not repeat it', async () => {
    const parsed = sign({ secret: SECRET })({ body: JSON.parse(SETTLED), timestamp: NOW })
    await expect(parsed).rejects.toThrow(TypeError)
    await expect(parsed).rejects.not.toThrow('evt_1')
  })
})
