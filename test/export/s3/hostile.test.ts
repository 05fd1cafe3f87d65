/** A service in place of S3 that is hostile, broken, or of another make. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { lastValueFrom } from 'rxjs'
import { afterEach, describe, expect, it } from 'vitest'
import { type S3Double, s3Double } from '../../../bench/services/s3Double.js'
import { exportTo, type SyncOptions, sync, verify } from '../../../src/export/index.js'
import { createSandbox } from '../../../src/sandbox/index.js'
import { idleClock } from '../../support/idleClock.js'
import { sandboxClient } from '../../support/sandboxClient.js'

const timer = idleClock
const payments = sandboxClient(createSandbox({ charges: 300, limits: false, timer }).fetch, {
  timer,
})

const SECRET = 'SecretOfTheBucket0123456789'
const TOKEN = 'TokenOfTheSession0123456789'

const opened: Array<() => unknown> = []
afterEach(async () => {
  for (const close of opened.splice(0)) await close()
})

type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  body: Buffer,
) => unknown

const listen = async (handler: Handler): Promise<string> => {
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://s3')
      handler(request, response, url, Buffer.concat(chunks))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  opened.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo // it listens on a port
  return `http://127.0.0.1:${port}`
}

const envOf = (url: string) => ({
  AWS_ENDPOINT_URL: url,
  AWS_REGION: 'eu-west-1',
  AWS_ACCESS_KEY_ID: 'AKIA',
  AWS_SECRET_ACCESS_KEY: SECRET,
  AWS_SESSION_TOKEN: TOKEN,
})

const synced = (env: Readonly<Record<string, string>>, options: Partial<SyncOptions> = { timer }) =>
  lastValueFrom(sync(payments.charges, { to: 's3://bucket/p/', env, ...options }))

/** Stands before a strict double, and answers some of its requests in its place. */
const standIn = async (
  answers: (...given: Parameters<Handler>) => boolean,
): Promise<{ readonly bucket: S3Double; readonly env: Record<string, string> }> => {
  const bucket = await s3Double()
  opened.push(bucket.close)
  const url = await listen(async (request, response, url, body) => {
    if (answers(request, response, url, body)) return
    response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>')
  })
  return { bucket, env: envOf(url) }
}

const xml = (response: ServerResponse, text: string, status = 200): true => {
  response.writeHead(status, { 'content-type': 'application/xml' }).end(text)
  return true
}

/** Takes and gives objects, as conditions have it. */
const accepting: Handler = ({ method, headers, url = '' }, response, _, body) => {
  const found = written.get(url)
  if (method === 'GET' && found !== undefined) {
    response.writeHead(200, { etag: found.etag }).end(found.body)
    return true
  }
  if (method !== 'PUT') return false
  const { 'if-none-match': absent, 'if-match': same } = headers
  const isOther = same !== undefined && same !== found?.etag
  if ((absent !== undefined && found !== undefined) || isOther) {
    return xml(response, '<Error><Code>PreconditionFailed</Code></Error>', 412)
  }
  const etag = `"${++etags}"`
  written.set(url, { etag, body })
  response.writeHead(200, { etag }).end()
  return true
}
let etags = 0
const written = new Map<string, { readonly etag: string; readonly body: Buffer }>()
afterEach(() => written.clear())

describe('a service that redirects', () => {
  it.each([301, 302, 303, 307, 308])('with %i is not followed: nothing leaves', async (status) => {
    const reached: Array<unknown> = []
    const other = await listen((request, response) => {
      reached.push(request.url)
      response.writeHead(200, { etag: '"x"' }).end()
    })
    const { env } = await standIn((request, response) => {
      response.writeHead(status, { location: `${other}${request.url}` }).end()
      return true
    })
    expect(await synced(env)).toMatchObject({
      left: {
        code: `HTTP ${status}`,
        message: expect.stringContaining('redirects are not followed'),
      },
    })
    expect(reached).toEqual([])
  })
})

describe('a listing', () => {
  const listing = async (text: string | ((url: URL) => string)) => {
    const { env } = await standIn((request, response, url, body) =>
      url.searchParams.has('list-type')
        ? xml(response, typeof text === 'string' ? text : text(url))
        : accepting(request, response, url, body) === true,
    )
    return synced(env)
  }
  const page = (inner: string, more = 'false') =>
    `<R><IsTruncated>${more}</IsTruncated>${inner}</R>`
  const withKey = (key: string) => page(`<Contents><Key>${key}</Key><Size>1</Size></Contents>`)

  it.each([
    ['repeats', page('<NextContinuationToken>t</NextContinuationToken>', 'true'), 'EndlessListing'],
    ['has no token of its next page', page('', 'true'), 'EndlessListing'],
    ['has keys of another prefix', withKey('other/incoming/x'), 'ForeignKey'],
    ['has keys above it', withKey('p/../x'), 'ForeignKey'],
    ['has no keys', page('<Contents><Size>1</Size></Contents>'), 'ForeignKey'],
    ['has a character that is none', withKey('p/charges-&#x110000;'), 'ForeignKey'],
  ])('that %s is refused', async (_, text, code) => {
    expect(await listing(text)).toMatchObject({ left: { _tag: 'ReadFailed', code } })
  })

  it('without an end is given up, also where each page has a token of its own', async () => {
    let pages = 0
    const text = () => page(`<NextContinuationToken>${++pages}</NextContinuationToken>`, 'true')
    expect(await listing(text)).toMatchObject({ left: { code: 'TooLarge' } })
  })

  it.each(['<Contents>', '<Contents><Key>', '&#x41', '</Contents>', '<Contents', '<![CDATA['])(
    'with %s a million times is read in no more than a moment',
    async (part) => {
      const last = await listing(page(part.repeat(1_000_000)))
      expect(last).toMatchObject({ left: { _tag: expect.any(String) } })
    },
  )
})

describe('an answer', () => {
  it.each([
    [
      'is compressed, and of 1 GiB',
      (response: ServerResponse) => {
        response.writeHead(200, { 'content-encoding': 'gzip', etag: '"x"' })
        response.end(BOMB)
      },
    ],
    [
      'does not end',
      (response: ServerResponse) => {
        response.writeHead(200, { etag: '"x"' })
        endless(response)
      },
    ],
  ])('that %s is refused', async (_, answer) => {
    const { env } = await standIn((_request, response) => {
      answer(response)
      return true
    })
    expect(await synced(env)).toMatchObject({ left: { _tag: 'ReadFailed', code: 'TooLarge' } })
  })

  it('with an error that does not end is read as far as its code', async () => {
    const { env } = await standIn((_request, response) => {
      response.writeHead(403)
      response.write('<Error><Code>AccessDenied</Code>')
      endless(response)
      return true
    })
    expect(await synced(env)).toMatchObject({ left: { code: 'AccessDenied' } })
  })

  it.each([
    `<Error><Code>${SECRET}</Code></Error>`,
    `<Error><Code>X${TOKEN}X</Code></Error>`,
    '<Error><Code>&#27;]0;title&#7;\ncomplete: 9 rows</Code></Error>',
    `<Error><Code>${'A'.repeat(1_000)}</Code></Error>`,
    '<Error><Code>A&#x110000;</Code></Error>',
    '<Error><Code>&constructor;</Code></Error>',
    '<Error><Code>\u202egnp.exe</Code></Error>',
    '<html>',
  ])('with an error shows no text of the service: %j', async (text) => {
    const { env } = await standIn((_request, response) => xml(response, text, 400))
    const last = await synced(env)
    expect(last).toMatchObject({ left: { code: 'HTTP 400' } })
    expect(JSON.stringify(last)).not.toMatch(/SecretOf|TokenOf/)
  })
})

const BOMB = gzipSync(Buffer.alloc(1 << 30), { level: 1 })

const endless = (response: ServerResponse): void => {
  const chunk = Buffer.alloc(1 << 20, 97)
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', more)
  more()
}

describe('a service', () => {
  it.each([
    ['sends no ETag', {}, 'sends no ETag'],
    ['takes conditions for none', { etag: '"x"' }, 'ignores If-None-Match'],
  ])('that %s is refused: two runs could not be told apart', async (_, headers, why) => {
    const { env } = await standIn((request, response) => {
      if (request.method !== 'PUT') return false
      response.writeHead(200, headers).end()
      return true
    })
    expect(await synced(env)).toMatchObject({
      left: { _tag: 'UnusableDestination', message: expect.stringContaining(why) },
    })
  })

  it.each(['quoted', 'unquoted'] as const)('takes an export and a sync: %s', async (etags) => {
    const bucket = await s3Double({ etags })
    opened.push(bucket.close)
    const [to, out] = ['s3://bucket/s/', 's3://bucket/e/']
    for (let night = 0; night < 2; night++) {
      const last = await lastValueFrom(sync(payments.charges, { to, env: bucket.env, timer }))
      expect(last).toMatchObject({ right: { ended: true } })
    }
    const last = await lastValueFrom(
      exportTo(payments.charges.snapshot(), { out, env: bucket.env, timer }),
    )
    expect(last).toMatchObject({ right: { ended: true } })
    for (const folder of [to, out]) {
      const checks = verify(folder, { env: bucket.env })
      expect(await lastValueFrom(checks)).toMatchObject({ right: { differences: [] } })
    }
  })

  it.each(['200-error', '200-empty'] as const)('that copies nothing is told: %s', async (fault) => {
    let isBroken = true
    const bucket = await s3Double({
      faults: ({ operation }) => (isBroken && operation === 'CopyObject' ? fault : undefined),
    })
    opened.push(bucket.close)
    const out = 's3://bucket/charges.ndjson'
    const exported = (resume: boolean) =>
      lastValueFrom(exportTo(payments.charges.snapshot(), { out, env: bucket.env, timer, resume }))
    expect(await exported(false)).toMatchObject({ left: { _tag: 'WriteFailed' } })
    const rows = [...bucket.objects.values()].map((body) => body.toString().split('\n').length - 1)
    expect(Math.max(...rows)).toBe(300)

    isBroken = false
    expect(await exported(true)).toMatchObject({ right: { ended: true } })
    const checks = verify(out, { env: bucket.env })
    expect(await lastValueFrom(checks)).toMatchObject({ right: { differences: [] } })
  })
})
