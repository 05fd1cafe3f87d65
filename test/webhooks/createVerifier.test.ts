import { createHmac, timingSafeEqual } from 'node:crypto'
import { runInNewContext } from 'node:vm'
import { firstValueFrom, lastValueFrom, of, throwError, toArray } from 'rxjs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { E } from '../../src/fp.js'
import type { ObservableEither } from '../../src/stream/either/ObservableEither.js'
import {
  type Algorithm,
  createVerifier,
  type Delivery,
  hmac,
  type Scheme,
  type Signed,
  type SigningScheme,
  sign as signWith,
  type VerifierOptions,
  type WebhookEvent,
  type WebhookFailure,
} from '../../src/webhooks/index.js'
import { at, headers, NOW, SECRET, SETTLED, sign, TIMESTAMP, tagOf, verified } from './support.js'

const EURO = '{"id":"evt_2","name":"charge.failed","data":{"reference":"Zoë €"}}'

/** Computed by others. */
const signatures = {
  [SETTLED]: '546e2e2d75987b2e25e5f4bb7b5f65d718e01356a83ff1b9e0b8ba1c63835731',
  [EURO]: '733e43ed996caf7d5c000aef561173d13f94d34229509995ac4de7947ee72415',
}

describe('a delivery is believed', () => {
  it.each(Object.entries(signatures))('as others have signed it: %s', async (body, signature) => {
    const delivery = { headers: { 'x-timestamp': TIMESTAMP, 'x-signature': signature }, body }
    const raw: unknown = JSON.parse(body)
    expect(await verified(delivery)).toEqual(E.right({ ...Object(raw), raw }))
    expect(sign(body)).toBe(signature)
  })

  it('with a signature in upper case', async () => {
    const upper = { ...headers(EURO), 'x-signature': sign(EURO).toUpperCase() }
    expect(tagOf(await verified({ headers: upper, body: EURO }))).toBe('evt_2')
  })

  it.each([
    ['bytes', (all: Uint8Array<ArrayBuffer>) => all],
    ['an ArrayBuffer', (all: Uint8Array<ArrayBuffer>) => all.buffer],
  ])('as it was when it was handed over, though it is changed meanwhile: %s', async (_, of) => {
    const all = new TextEncoder().encode(EURO)
    const believed = verified({ headers: headers(EURO), body: of(all) })
    all.set(new TextEncoder().encode(EURO.replace('evt_2', 'evt_3')))
    expect(tagOf(await believed)).toBe('evt_2')
  })

  const bytes = new TextEncoder().encode(`[${EURO}]`).subarray(1, -1)
  const bodies: Readonly<Record<string, Delivery['body']>> = {
    text: EURO,
    bytes: new TextEncoder().encode(EURO),
    'a part of other bytes': bytes,
    'a Buffer': Buffer.from(EURO),
    'an ArrayBuffer': new TextEncoder().encode(EURO).buffer,
    'a DataView': new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength),
  }
  it.each(Object.entries(bodies))('whose body is %s', async (_, body) => {
    expect(tagOf(await verified({ headers: headers(EURO), body }))).toBe('evt_2')
  })

  it.each(['ArrayBuffer', 'SharedArrayBuffer', 'Uint8Array'])(
    'whose body is the %s of another realm',
    async (kind) => {
      const { length } = new TextEncoder().encode(EURO)
      const buffer = runInNewContext(`new ${kind}(${length})`)
      const bytes = ArrayBuffer.isView(buffer) ? buffer.buffer : buffer
      new Uint8Array(bytes).set(new TextEncoder().encode(EURO))
      expect(tagOf(await verified({ headers: headers(EURO), body: buffer }))).toBe('evt_2')
    },
  )

  const { 'x-timestamp': timestamp, 'x-signature': signature } = headers(EURO)
  const shapes: Readonly<Record<string, Delivery['headers']>> = {
    'a Headers': new Headers(headers(EURO)),
    'a record in other letter case': { 'X-Timestamp': timestamp, 'X-SIGNATURE': signature },
    'a record of lists': { 'x-timestamp': [timestamp], 'x-signature': [signature], via: undefined },
    pairs: Object.entries(headers(EURO)),
    'a Map': new Map(Object.entries(headers(EURO))),
  }
  it.each(Object.entries(shapes))('whose headers are %s', async (_, shape) => {
    expect(tagOf(await verified({ headers: shape, body: EURO }))).toBe('evt_2')
  })

  it('with any of several secrets', async () => {
    const delivery = { headers: headers(SETTLED), body: SETTLED }
    for (const secret of [[SECRET], [SECRET, 'new'], ['new', SECRET], ['new', 'newer', SECRET]]) {
      expect(tagOf(await verified(delivery, { secret }))).toBe('evt_1')
    }
    expect(tagOf(await verified(delivery, { secret: ['new', 'newer'] }))).toBe('Forged')
  })

  it('each time that it is subscribed, as the clock stands then, and not before', async () => {
    let now = NOW
    let looked = 0
    const timer = {
      now: () => {
        looked += 1
        return now
      },
    }
    const verify = createVerifier({ secret: SECRET, timer })
    const ready = verify({ headers: headers(SETTLED), body: SETTLED })
    expect(looked).toBe(0)
    expect(await lastValueFrom(ready.pipe(toArray()))).toHaveLength(1)
    now += 300_001
    expect(tagOf(await firstValueFrom(ready))).toBe('Stale')
  })
})

describe('a delivery is not believed', () => {
  const failure = async (delivery: Delivery, options: Partial<VerifierOptions> = {}) => {
    const came = await verified(delivery, options)
    if (E.isRight(came)) throw new Error(`${came.right.id} was believed`)
    return came.left
  }

  it.each([
    ['object', { id: 'evt_1' }],
    ['list of 3', [1, 2, 3]],
    ['null', null],
    ['undefined', undefined],
  ])('when its body is no text or bytes, but %s', async (actual, parsed) => {
    const body = parsed as unknown as string // of a framework that has no types for it
    expect(await failure({ headers: headers(SETTLED), body })).toEqual({
      _tag: 'NotRaw',
      actual,
      message: `the body should be the raw bytes or text, before JSON is parsed, but is ${actual}`,
    })
  })

  const good = headers(SETTLED)
  const name = 'x-signature'
  const TWICE = ['present once', 'present 2 times'] as const
  it.each([null, undefined, 'x-timestamp', 5])('for headers that are %j', async (given) => {
    const delivery: Delivery = { ...{ headers: given as never }, body: SETTLED }
    expect(await failure(delivery)).toMatchObject({ _tag: 'Unsigned', actual: 'missing' })
  })

  it('for a header that is no text', async () => {
    const wrong = { ...good, 'x-signature': 5 as never }
    expect(await failure({ headers: wrong, body: SETTLED })).toMatchObject({
      _tag: 'Unsigned',
      header: 'x-signature',
      expected: 'a string',
    })
  })

  it.each<[string, Delivery['headers'], string, string, string]>([
    ['a missing signature', { 'x-timestamp': TIMESTAMP }, name, 'there', 'missing'],
    ['a missing time', { [name]: sign(SETTLED) }, 'x-timestamp', 'there', 'missing'],
    ['an empty signature', { ...good, [name]: '' }, name, 'a string', 'text of 0 characters'],
    ['two in a list', { ...good, [name]: [good[name], 'ab'] }, name, ...TWICE],
    ['two spellings', { ...good, 'X-Signature': 'ab' }, name, ...TWICE],
    ['the same twice', [...Object.entries(good), [name, 'a']], name, ...TWICE],
    [
      'two times that were joined',
      new Headers([...Object.entries(good), ['x-timestamp', TIMESTAMP]]),
      'x-timestamp',
      'a time, such as Unix milliseconds',
      'text of 28 characters',
    ],
  ])('for %s', async (_, headers, header, expected, actual) => {
    expect(await failure({ headers, body: SETTLED })).toEqual({
      _tag: 'Unsigned',
      header,
      expected,
      actual,
      message: `${header} should be ${expected}, but is ${actual}`,
    })
  })

  const TIMES = ['now', '-1', '1.7e12', '1700000000000.0', '0x1', '１７', '2023-11-14T22:13:20Z']
  it.each(TIMES)('when its time is %s, though it is signed, at any age', async (timestamp) => {
    const delivery = { headers: headers(SETTLED, { timestamp }), body: SETTLED }
    for (const tolerance of [300_000, Number.POSITIVE_INFINITY]) {
      expect(await failure(delivery, { tolerance })).toMatchObject({
        _tag: 'Unsigned',
        header: 'x-timestamp',
        expected: 'a time, such as Unix milliseconds',
        actual: `text of ${timestamp.length} characters`,
      })
    }
  })

  it.each([
    undefined,
    null,
    TIMESTAMP,
    NaN,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    BigInt(NOW),
    new Date(NOW),
    new Date(Number.NaN),
    {},
  ])('for a time that the scheme reads as %o, whatever the tolerance', async (read) => {
    const scheme = { sentAt: () => read as number } // what a scheme in JavaScript may return
    for (const tolerance of [300_000, Number.POSITIVE_INFINITY]) {
      const delivery = { headers: headers(SETTLED), body: SETTLED }
      const came = await verified(delivery, { scheme, tolerance })
      expect(came).toMatchObject({ left: { _tag: 'Unsigned', header: 'x-timestamp' } })
    }
  })

  it('for another signature', async () => {
    const delivery = { headers: headers(SETTLED, { secret: 'another' }), body: SETTLED }
    expect(await failure(delivery)).toEqual({
      _tag: 'Forged',
      bytes: 60,
      message:
        'x-signature (text of 64 characters) does not match this body of 60 bytes with the secret',
    })
    expect((await failure(delivery, { secret: ['one', 'two'] })).message).toContain(
      'this body of 60 bytes with any of the 2 secrets',
    )
  })

  it('for another signature, of a single byte', async () => {
    const delivery = { headers: headers('x', { secret: 'another' }), body: 'x' }
    expect((await failure(delivery)).message).toMatch(/this body of 1 byte with the secret$/)
  })

  it('for a signature of another form or length', async () => {
    const signature = sign(SETTLED)
    const other = [
      signature.slice(0, -1),
      signature.slice(0, -2),
      signature.slice(0, 2),
      `${signature}00`,
      `${signature}0`,
      `${signature}\n`,
      `0x${signature}`,
      `sha256=${signature}`,
      Buffer.from(signature, 'hex').toString('base64'),
      `${signature.slice(0, -1)}g`,
      `${signature}, ${signature}`,
    ]
    for (const one of other) {
      const forged = { 'x-timestamp': TIMESTAMP, 'x-signature': one }
      expect((await failure({ headers: forged, body: SETTLED }))._tag).toBe('Forged')
    }
  })

  it('when it is older than five minutes, or further ahead', async () => {
    const delivery = { headers: headers(SETTLED), body: SETTLED }
    for (const age of [300_000, -300_000, 0]) {
      expect(tagOf(await verified(delivery, { timer: at(NOW + age) }))).toBe('evt_1')
    }
    expect(await failure(delivery, { timer: at(NOW + 300_001) })).toEqual({
      _tag: 'Stale',
      age: 300_001,
      tolerance: 300_000,
      message: 'signed 300001 ms ago, but the tolerance is 300000 ms',
    })
    expect(await failure(delivery, { timer: at(NOW - 300_001) })).toEqual({
      _tag: 'Stale',
      age: -300_001,
      tolerance: 300_000,
      message: 'signed 300001 ms in the future, but the tolerance is 300000 ms',
    })
  })

  it('for its age, only when it is genuine', async () => {
    const delivery = { headers: headers(SETTLED, { secret: 'another' }), body: SETTLED }
    expect((await failure(delivery, { timer: at(0) }))._tag).toBe('Forged')
  })

  it.each<[string, string | Uint8Array, object]>([
    [
      'no JSON',
      'Zoë',
      { path: '', expected: expect.stringContaining('JSON'), actual: '4 bytes of something else' },
    ],
    ['no text', Uint8Array.of(0x22, 0xff, 0x22), { path: '', actual: '3 bytes of something else' }],
    ['a letter', 'x', { path: '', actual: '1 byte of something else' }],
    ['nothing', '', { path: '', actual: '0 bytes of something else' }],
    [
      'JSON that never ends in depth',
      `{"id":"e","name":"n","accountId":"a","data":${'['.repeat(400_000)}${']'.repeat(400_000)}}`,
      { path: '', expected: 'JSON in UTF-8, not nested too deeply' },
    ],
    ['a list', '[]', { path: '', actual: 'list of 0' }],
    [
      'no event',
      '{"id":7,"name":"charge.settled"}',
      {
        path: 'id',
        actual: 'number 7',
        causes: ['id', 'data'].map((path) => expect.objectContaining({ path })),
        message: 'id should be string, but is number 7',
      },
    ],
  ])('when it holds %s, though it is genuine', async (_, body, expected) => {
    const delivery = { headers: headers(body), body }
    expect(await failure(delivery)).toMatchObject({ _tag: 'Undecodable', ...expected })
  })
})

describe('every default can be changed', () => {
  const delivery = { headers: headers(SETTLED), body: SETTLED }

  it('the tolerance, up to any age', async () => {
    const timer = at(NOW + 1_000)
    expect(tagOf(await verified(delivery, { timer, tolerance: 1_000 }))).toBe('evt_1')
    expect(tagOf(await verified(delivery, { timer, tolerance: 999 }))).toBe('Stale')
    for (const now of [0, NOW * 2]) {
      const options = { timer: at(now), tolerance: Number.POSITIVE_INFINITY }
      expect(tagOf(await verified(delivery, options))).toBe('evt_1')
    }
  })

  it('the names of the headers', async () => {
    const scheme = { timestampHeader: 'X-Sent', signatureHeader: 'X-Hmac' }
    const named = { 'x-sent': TIMESTAMP, 'x-hmac': sign(SETTLED) }
    expect(tagOf(await verified({ headers: named, body: SETTLED }, { scheme }))).toBe('evt_1')
    expect(await verified(delivery, { scheme })).toMatchObject(E.left({ header: 'X-Sent' }))
  })

  it('how the time is written', async () => {
    const scheme = { sentAt: (seconds: string) => Number(seconds) * 1_000 }
    const timestamp = '1700000000'
    const inSeconds = { headers: headers(SETTLED, { timestamp }), body: SETTLED }
    expect(tagOf(await verified(inSeconds, { scheme }))).toBe('evt_1')
    expect(tagOf(await verified(inSeconds))).toBe('Stale')
  })

  it('the form of both headers, commas and all', async () => {
    const timestamp = new Date(NOW).toUTCString()
    const signed = `v0=00, v1=${sign(SETTLED, { timestamp })}`
    const scheme = {
      timestampHeader: 'date',
      sentAt: Date.parse,
      algorithm: ({ signature, ...signed }: Signed) =>
        hmac('SHA-256')({ ...signed, signature: signature.replace(/.*v1=/, '') }),
    }
    const dated = new Headers({ date: timestamp, 'x-signature': signed })
    expect(tagOf(await verified({ headers: dated, body: SETTLED }, { scheme }))).toBe('evt_1')
  })

  it('the message', async () => {
    const message = (timestamp: string, body: Uint8Array) =>
      Buffer.from(`${timestamp}.${body.length}`)
    const signature = createHmac('sha256', SECRET).update(`${TIMESTAMP}.60`).digest('hex')
    const other = { 'x-timestamp': TIMESTAMP, 'x-signature': signature }
    const options = { scheme: { message } }
    expect(tagOf(await verified({ headers: other, body: SETTLED }, options))).toBe('evt_1')
    expect(tagOf(await verified(delivery, options))).toBe('Forged')
  })

  it('an id of the delivery that is signed, too, as Standard Webhooks have it', async () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const keyed = (message: Uint8Array) =>
      createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
        .update(message)
        .digest('base64')
    const scheme: Partial<Scheme & SigningScheme> = {
      idHeader: 'webhook-id',
      timestampHeader: 'webhook-timestamp',
      signatureHeader: 'webhook-signature',
      sentAt: (seconds) => Number(seconds) * 1_000,
      message: (seconds, body, id) => Buffer.concat([Buffer.from(`${id}.${seconds}.`), body]),
      algorithm: async ({ message, signature }) => signature === `v1,${keyed(message)}`,
      signature: ({ message }) => `v1,${keyed(message)}`,
    }
    const options = { secret, scheme, timer: at(1_614_265_330_000) }
    const tagged = async (given: object, body: string) =>
      tagOf(await verified({ headers: { ...given }, body }, options))
    // the example of their libraries: genuine, and none of our events
    const example = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    }
    expect(await tagged(example, '{"test": 2432232314}')).toBe('Undecodable')
    const signing = signWith({ secret, scheme })
    const signed = await signing({ body: SETTLED, id: 'msg_1', timestamp: 1_614_265_330 })
    expect(Object.keys(signed)).toEqual(Object.keys(example))
    expect(await tagged(signed, SETTLED)).toBe('evt_1')
    expect(await tagged({ ...signed, 'webhook-id': 'msg_2' }, SETTLED)).toBe('Forged')
    const { 'webhook-id': _, ...withoutId } = signed
    expect(await tagged(withoutId, SETTLED)).toBe('Unsigned')
    await expect(signing({ body: SETTLED })).rejects.toThrow(
      'id should be a string for the header webhook-id, but is missing',
    )
  })

  it.each(['sha384', 'sha512'] as const)('the hash: %s', async (name) => {
    const signature = createHmac(name, SECRET)
      .update(TIMESTAMP + SETTLED)
      .digest('hex')
    const other = { 'x-timestamp': TIMESTAMP, 'x-signature': signature }
    const scheme = { algorithm: hmac(name === 'sha384' ? 'SHA-384' : 'SHA-512') }
    expect(tagOf(await verified({ headers: other, body: SETTLED }, { scheme }))).toBe('evt_1')
    expect(tagOf(await verified(delivery, { scheme }))).toBe('Forged')
  })

  it('the algorithm', async () => {
    const algorithm: Algorithm = ({ secret, message, signature }) => {
      const made = createHmac('sha1', secret).update(message).digest()
      const came = Buffer.from(signature, 'base64')
      return of(came.length === made.length && timingSafeEqual(came, made))
    }
    const signature = createHmac('sha1', SECRET)
      .update(TIMESTAMP + SETTLED)
      .digest('base64')
    const other = { 'x-timestamp': TIMESTAMP, 'x-signature': signature }
    const scheme = { algorithm }
    expect(tagOf(await verified({ headers: other, body: SETTLED }, { scheme }))).toBe('evt_1')
    expect(tagOf(await verified(delivery, { scheme }))).toBe('Forged')
  })

  it.each(['no', {}, 1])('an algorithm that answers %j has not said that it fits', async (said) => {
    const algorithm: Algorithm = () => of<boolean>(said as never)
    expect(tagOf(await verified(delivery, { scheme: { algorithm } }))).toBe('Forged')
  })

  it('an algorithm that fails is a bug, and no verdict', async () => {
    const algorithm = () => throwError(() => new Error('no such hash'))
    await expect(verified(delivery, { scheme: { algorithm } })).rejects.toThrow('no such hash')
  })
})

describe('a verifier', () => {
  it.each<readonly [unknown, string]>([
    ['', 'secret'],
    [[], 'secret'],
    [[SECRET, ''], 'secret[1]'],
    [`${SECRET}\n`, 'secret'],
    [` ${SECRET}`, 'secret'],
    [undefined, 'secret'],
    [7, 'secret'],
    [[7], 'secret[0]'],
  ])('is not made with %j for a secret', (secret, option) => {
    const text = 'should be a non-empty string, without leading or trailing whitespace'
    const message = expect.stringContaining(`${option} ${text}`)
    expect(() => createVerifier({ secret: secret as string })).toThrow(
      expect.objectContaining({ name: 'InvalidOption', option, message }),
    )
  })

  it.each<readonly [string, unknown]>([
    ['tolerence', 1_000],
    ['tolerance', -1],
    ['tolerance', Number.NaN],
    ['scheme', 'v1'],
    ['scheme.timestampHeader', { timestampHeader: '' }],
    ['scheme.timestampHeader', { timestampHeader: 'bad header' }],
    ['scheme.signatureHeader', { signatureHeader: 'x-sïgnature' }],
    ['scheme.sentAt', { sentAt: 'seconds' }],
    ['scheme.hash', { hash: 'SHA-512' }],
    ['timer', 5],
    ['maxBytes', 5],
  ])('is not made with a wrong %s', (option, value) => {
    const options: Readonly<Record<string, unknown>> = { [option.split('.')[0] ?? '']: value }
    expect(() => createVerifier({ secret: SECRET, ...options })).toThrow(
      expect.objectContaining({ name: 'InvalidOption', option }),
    )
  })

  it('takes what is undefined for what was left out', async () => {
    const scheme: Readonly<Record<string, unknown>> = { algorithm: undefined }
    const options: Readonly<Record<string, unknown>> = { tolerance: undefined, scheme }
    const delivery = { headers: headers(SETTLED), body: SETTLED }
    expect(tagOf(await verified(delivery, options))).toBe('evt_1')
  })

  it('takes the headers of each runtime', () => {
    expectTypeOf<Headers>().toExtend<Delivery['headers']>()
    expectTypeOf<import('node:http').IncomingHttpHeaders>().toExtend<Delivery['headers']>()
    expectTypeOf<import('node:http').IncomingMessage['headersDistinct']>().toExtend<
      Delivery['headers']
    >()
    expectTypeOf(createVerifier({ secret: SECRET })).returns.toExtend<
      ObservableEither<WebhookFailure, WebhookEvent>
    >()
  })
})
