import { asyncScheduler } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { listen, sandboxCredentials } from '../../../src/sandbox/index.js'
import { idleClock } from '../../support/idleClock.js'
import { closing } from '../../support/judged.js'
import { expectNoSecret, secrets } from '../../support/secrets.js'
import { speaking } from '../../support/speaking.js'
import { PATIENT } from '../../support/timeouts.js'
import { cli, type RunOptions } from '../support.js'

/** Output of `--json`. */
interface Findings {
  readonly status: string
  readonly findings: ReadonlyArray<{
    readonly check: string
    readonly verdict: string
    readonly found: string
    readonly advice?: string
  }>
}

/** Runs the command in real time; text is what it prints. */
const doctor = async (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  timing: Pick<RunOptions, 'timer' | 'timeout'> = {},
): Promise<{ readonly status: number; readonly text: string }> => {
  const options = { env, timer: asyncScheduler, ...timing }
  const { status, stdout, stderr } = await cli(['doctor', ...args], options)
  return { status, text: `${stdout}${stderr}` }
}

const { clientId, apiKey } = sandboxCredentials
const KEYS = { PAYMENTS_CLIENT_ID: clientId, PAYMENTS_API_KEY: apiKey }

const PADDED = 'a key or an id begins or ends with a space: remove the space'

describe('doctor', () => {
  it('passes against a sandbox over a socket', async () => {
    const { status, text } = await doctor(['--sandbox', '--environment', 'test'])
    expect(text).not.toMatch(/^(warning|failed)/m)
    expect(text).toMatch(/^ok {7}limits {9}10 requests per second per endpoint/m)
    expect(status).toBe(0)
  })

  it('keeps a share of the limits', async () => {
    const { text } = await doctor(['--sandbox', '--share', '0.5'])
    expect(text).toMatch(
      /^ok {7}limits {9}10 requests per second .* \(production, 50 % of them\)$/m,
    )
  })

  it('exceeds no limit', async () => {
    const { url } = closing(await listen({ limits: { endpoint: 6, global: 7, concurrency: 1 } }))
    const { text } = await doctor(['--base-url', url], KEYS)
    expect(text).toMatch(/^ok {7}limits/m)
    expect(text).toMatch(
      /^ok {7}configuration {2}--base-url, PAYMENTS_CLIENT_ID, PAYMENTS_API_KEY; /m,
    )
  })

  it('reports newest charges first', async () => {
    const { url } = closing(await listen({ order: 'descending' }))
    const { text } = await doctor(['--base-url', url], KEYS)
    expect(text).toContain('charges are listed newest first')
  })

  it('fails for wrong keys without retrying', async () => {
    const { url } = closing(await listen())
    const keys = { PAYMENTS_CLIENT_ID: 'somebody', PAYMENTS_API_KEY: secrets.apiKey }
    const { status, text } = await doctor(['--base-url', url], keys)
    expect(text).toMatch(/^failed {3}login .*401/m)
    expectNoSecret(text)
    expect(status).toBe(1)
  })

  it('sends no request where the connection is refused', async () => {
    const { status, text } = await doctor(['--base-url', 'http://127.0.0.1:2'], KEYS)
    expect(text).toMatch(/^failed {3}connection .*ECONNREFUSED/m)
    expect(text).not.toContain('login')
    expect(status).toBe(1)
  })

  it.each([
    [
      'a key with a space',
      { PAYMENTS_API_KEY: `${secrets.apiKey} ` },
      'PAYMENTS_API_KEY should be a valid header value',
      PADDED,
    ],
    [
      'an account with a space',
      { PAYMENTS_ON_BEHALF_OF: ' acct_1' },
      'PAYMENTS_ON_BEHALF_OF should be an account id',
      PADDED,
    ],
    [
      'an id that no header takes',
      { PAYMENTS_LOGIN_AS: 'acct\u2026' },
      'PAYMENTS_LOGIN_AS should be a valid header value',
      undefined,
    ],
  ])('does not ask with %s: names the setting, skips the rest', async (_, env, said, advice) => {
    const { url } = closing(await listen())
    const { status, text } = await doctor(['--json'], { PAYMENTS_BASE_URL: url, ...KEYS, ...env })
    const { findings, ...report }: Findings = JSON.parse(text)
    expect(findings.map(({ check, verdict }) => `${check}: ${verdict}`)).toEqual([
      ...['configuration: failed', 'base URL: ok', 'DNS: ok', 'connection: ok', 'TLS: skipped'],
      ...['login', 'list', 'order', 'round trip'].map((check) => `${check}: skipped`),
      ...['clock', 'limits', 'API version'].map((check) => `${check}: skipped`),
    ])
    expect(findings[0]?.found).toContain(said)
    expect(findings[0]?.advice).toBe(advice)
    expect(findings[5]?.found).toContain('see configuration')
    expect(report.status).toBe('failed')
    expect(status).toBe(1)
    expectNoSecret(text)
  })

  it('exits with 0 after a warning', async () => {
    const { url } = closing(await listen())
    const args = ['--base-url', url, '--client-id', clientId, '--api-key', apiKey]
    const { status, text } = await doctor([...args, '--json'])
    expect(JSON.parse(text)).toMatchObject({ status: 'warning' })
    expect(status).toBe(0)
  })

  it.each([
    ['https', 'connect', /^failed {3}TLS .*: no response within 2 min 00 s$/m],
    ['http', 'headers', /^failed {3}login .*: no response within 120000 ms$/m],
  ])('waits for one that does not answer %s as long as it is told', async (scheme, phase, said) => {
    const { port } = closing(await speaking((socket) => socket.resume()))
    const args = ['--base-url', `${scheme}://127.0.0.1:${port}`]
    const timing = { timer: idleClock, timeout: { ...PATIENT, [phase]: 120_000 } }
    const { status, text } = await doctor(args, KEYS, timing)
    expect(text).toMatch(said)
    expect(status).toBe(1)
  })

  it('skips the network checks where Node uses a proxy', async () => {
    const { url } = closing(await listen())
    const { status, text } = await doctor(['--base-url', url], {
      ...KEYS,
      HTTPS_PROXY: 'http://proxy:3128',
      NODE_USE_ENV_PROXY: '1',
    })
    expect(text).toMatch(
      /\nok {7}configuration .*\nok {7}base URL .*\nskipped {2}connection {5}through a proxy.*\nok {7}login/,
    )
    expect(status).toBe(0)
  })

  it('prints one JSON object with --json', async () => {
    const { status, text } = await doctor(['--sandbox', '--json'])
    const told = JSON.parse(text)
    expect(told.status).toBe('ok')
    expect(told.findings).toHaveLength(12)
    const facts = { tokenMsLeft: expect.any(Number) }
    expect(told.findings[5]).toMatchObject({ check: 'login', facts })
    expect(status).toBe(0)
  })
})

it('reports the requested version of the API', async () => {
  const { url } = closing(await listen())
  const { text } = await doctor(['--base-url', url, '--api-version', '2024-09-27'], KEYS)
  expect(text).toMatch(/^ok {7}API version {4}2024-09-27 is requested$/m)
})

describe('settings', () => {
  it('are named by flag or variable', async () => {
    const { text } = await doctor(['--base-url', 'http://127.0.0.1:2', '--json'], {
      PAYMENTS_BASE_URL: 'https://api.example.com',
      PAYMENTS_API_KEY: secrets.apiKey,
      PAYMENTS_API_VERSION: '',
      PAYMENTS_CLIENT_ID: 'me',
      PAYMENTS_ENVIRONMENT: 'test',
      PAYMENTS_LOGIN_AS: 'acct_1',
      PAYMENTS_ON_BEHALF_OF: 'acct_2',
    })
    const set = [
      ...['--base-url', 'PAYMENTS_CLIENT_ID', 'PAYMENTS_API_KEY', 'PAYMENTS_ENVIRONMENT'],
      ...['PAYMENTS_LOGIN_AS', 'PAYMENTS_ON_BEHALF_OF'],
    ]
    expect(JSON.parse(text).findings[0]).toMatchObject({
      verdict: 'ok',
      found: `${set.join(', ')}; limits of test`,
      facts: { set, environment: 'test' },
    })
  })

  it.each<[string, ReadonlyArray<string>, Readonly<Record<string, string>>, RegExp]>([
    ['none', [], {}, /failed {3}configuration .*PAYMENTS_BASE_URL is required.*; nothing is set/],
    [
      'a key on the command line',
      ['--base-url', 'http://127.0.0.1:2', '--client-id', 'me', '--api-key', secrets.apiKey],
      {},
      /warning .*--api-key; limits of production\n {24}other users of this machine can see --api-key/,
    ],
    [
      'a key with a line break in it',
      ['--base-url', 'http://127.0.0.1:2', '--client-id', 'me'],
      { PAYMENTS_API_KEY: `${secrets.apiKey}\nx` },
      /failed .*PAYMENTS_API_KEY should be text without control characters; set: .*PAYMENTS_API_KEY/,
    ],
    [
      'a base URL that is not secure',
      ['--base-url', `http://me:${encodeURIComponent(secrets.apiKey)}@api.example.com`],
      { PAYMENTS_CLIENT_ID: 'me', PAYMENTS_API_KEY: secrets.apiKey },
      /failed {3}base URL {7}--base-url or PAYMENTS_BASE_URL should be an HTTPS URL/,
    ],
    [
      'a proxy that Node does not use',
      ['--base-url', 'http://127.0.0.1:2'],
      { PAYMENTS_CLIENT_ID: 'me', PAYMENTS_API_KEY: 'a-key', HTTPS_PROXY: 'http://proxy:3128' },
      /warning .*\n.*NODE_USE_ENV_PROXY=1/,
    ],
    [
      'the same in small letters',
      ['--base-url', 'http://127.0.0.1:2'],
      { PAYMENTS_CLIENT_ID: 'me', PAYMENTS_API_KEY: 'a-key', https_proxy: 'http://proxy:3128' },
      /warning .*\n.*NODE_USE_ENV_PROXY=1/,
    ],
    [
      'a base URL and a key that are both wrong',
      ['--base-url', 'http://api.example.com'],
      { PAYMENTS_CLIENT_ID: 'me', PAYMENTS_API_KEY: ' a-key' },
      /^failed .*\n {24}a key or an id begins or ends with a space.*\nfailed {3}base URL /,
    ],
    [
      'a key with a no-break space, which a header takes',
      ['--base-url', 'http://127.0.0.1:2'],
      { PAYMENTS_CLIENT_ID: 'me', PAYMENTS_API_KEY: `${secrets.apiKey}\u00a0` },
      /\nwarning .*\n {24}a key or an id begins or ends with a space.*\nok {7}base URL /,
    ],
  ])('%s', async (_, args, env, said) => {
    const { text } = await doctor(args, env)
    expect(text).toMatch(said)
    expectNoSecret(text)
  })
})
