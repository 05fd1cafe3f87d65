/** No secret is in what an export leaves on the disk, whatever becomes of it, or in what it says. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { CLIENT, type Fault, type JudgeOptions, PARTNER, type Seen } from '../support/judge.js'
import { webhook } from '../support/judgeLists.js'
import { spellings } from '../support/secrets.js'
import { exporting, KEYS } from './exporting.js'
import { cli } from './support.js'

const { file, serve } = await exporting()

const WEBHOOK_SECRET = 'whsec_/Zx4+Jq7"L0='

/** Tokens of the server begin with this. */
const TOKEN = 'judge-token-'

const SECRETS = [CLIENT.apiKey, PARTNER.clientSecret, WEBHOOK_SECRET, TOKEN]

const expectNoSecret = (where: string, text: string): void => {
  for (const spelling of SECRETS.flatMap(spellings)) {
    expect(text.includes(spelling) ? `${where} has ${spelling}` : '').toBe('')
  }
}

/** Every file that an export left, and what it said. */
const leftBy = async (args: ReadonlyArray<string>, options: JudgeOptions) => {
  const server = await serve(options)
  const { stdout, stderr } = await cli([...args, '--base-url', server.url])
  const home = dirname(file('x'))
  const names = await readdir(home)
  const texts = await Promise.all(
    names.map(async (name) => [name, await readFile(join(home, name), 'utf8')] as const),
  )
  return [...texts, ['stdout', stdout] as const, ['stderr', stderr] as const]
}

const PARTNER_KEYS = ['--partner-id', PARTNER.clientId, '--partner-secret', PARTNER.clientSecret]

/** Rows that do not decode, and hold what they should not. */
const spoilt = (items: ReadonlyArray<object>, own: string, authorization = '') =>
  items.map((row, i) =>
    i === 3
      ? {
          ...row,
          id: null,
          secret: WEBHOOK_SECRET,
          was: own,
          request: { authorization, token: authorization.split(' ')[1] },
          before: [{ secret: WEBHOOK_SECRET, of: { secret: WEBHOOK_SECRET } }],
        }
      : row,
  )

/** From the third page on the server refuses, and repeats what it was sent. */
const cut = ({ route, nth, headers }: Seen): Fault | undefined =>
  route === 'GET /api/v1/charges' && nth > 2
    ? { status: 400, body: { code: 'invalid_argument', message: headers.authorization } }
    : undefined

/** Webhooks with their secrets, in place of those that the server has. */
const telling = ({ route, headers }: Seen): Fault | undefined => {
  if (!route.endsWith('/v1/webhooks')) return undefined
  const own = route.startsWith('GET /partner') ? PARTNER.clientSecret : CLIENT.apiKey
  const all = Array.from({ length: 5 }, (_, n) => ({
    ...hook(n),
    secret: WEBHOOK_SECRET,
    before: { secret: WEBHOOK_SECRET },
  }))
  const items = spoilt(all, own, headers.authorization)
  return { status: 200, body: { items, page_after: null, has_more: false } }
}

const hook = webhook('wh')

it.each([
  ['complete', {}],
  ['that was cut', { fault: cut }],
] as const)('charges, %s', async (_, faulty) => {
  let sent = ''
  const left = await leftBy(
    ['export', 'charges', '--out', file('c.ndjson'), '--page-size', '20', ...KEYS],
    {
      charges: 100,
      page: (page) => ({ ...page, items: spoilt(page.items, CLIENT.apiKey, sent) }),
      fault: (seen) => {
        sent = seen.headers.authorization ?? sent
        return 'fault' in faulty ? faulty.fault(seen) : undefined
      },
    },
  )
  const names = left.map(([name]) => name)
  expect(names).toContain('c.ndjson.rejects.ndjson')
  expect(names.some((name) => /^c\.ndjson\.(manifest\.json|\w+\.part)$/.test(name))).toBe(true)
  expect(names.includes('c.ndjson.checkpoint.json')).toBe('fault' in faulty)
  expect(sent).toContain(TOKEN)
  for (const [name, text] of left) expectNoSecret(name, text)
})

it('charges, with the keys from files', async () => {
  const home = await mkdtemp(join(tmpdir(), 'payments-rx-'))
  try {
    const [variables, key] = [join(home, '.env'), join(home, 'key')]
    await writeFile(key, `${CLIENT.apiKey}\n`)
    await writeFile(
      variables,
      `PAYMENTS_CLIENT_ID=${CLIENT.clientId}\nPAYMENTS_API_KEY_FILE=${key}\n`,
    )
    const left = await leftBy(
      ['export', 'charges', '--out', file('c.ndjson'), '--env-file', variables],
      { charges: 100, page: (page) => ({ ...page, items: spoilt(page.items, CLIENT.apiKey) }) },
    )
    expect(left.map(([name]) => name)).toContain('c.ndjson.rejects.ndjson')
    for (const [name, text] of left) expectNoSecret(name, text)
  } finally {
    await rm(home, { recursive: true })
  }
})

it.each([
  ['webhooks', KEYS],
  ['partner-webhooks', PARTNER_KEYS],
] as const)('%s, also in those that do not decode', async (name, keys) => {
  const left = await leftBy(['export', name, '--out', file('w.ndjson'), ...keys], {
    fault: telling,
  })
  expect(left.map(([where]) => where)).toContain('w.ndjson.rejects.ndjson')
  for (const [where, text] of left) expectNoSecret(where, text)
})
