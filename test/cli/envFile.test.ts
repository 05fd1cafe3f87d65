/** Connection settings from a file of variables, and an API key from a mounted secret. */
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CLIENT, type Judge, judge } from '../support/judge.js'
import { expectNoSecret, secrets } from '../support/secrets.js'
import { cli, folder, rowsOf } from './support.js'

const file = await folder()
const servers: Array<Judge> = []
beforeEach(() => mkdir(dirname(file('x')), { recursive: true }).then(() => {}))
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())))

const service = async (): Promise<string> => {
  const server = await judge({ charges: 3 })
  servers.push(server)
  return server.url
}

const written = async (name: string, ...lines: ReadonlyArray<string>): Promise<string> => {
  await writeFile(file(name), `${lines.join('\n')}\n`)
  return file(name)
}

const EXPORT = ['export', 'charges']

it('an export takes all settings from a file, also those that are exported with the same value', async () => {
  const url = await service()
  const path = await written(
    'prod.env',
    '# of production',
    `PAYMENTS_BASE_URL="${url}"`,
    `PAYMENTS_CLIENT_ID=${CLIENT.clientId}`,
    `export PAYMENTS_API_KEY='${CLIENT.apiKey}'`,
    'OTHER=1',
  )
  const args = [...EXPORT, '--out', file('c.ndjson'), '--env-file', path]
  const { status, stderr } = await cli(args, { env: { PAYMENTS_CLIENT_ID: CLIENT.clientId } })
  expect(stderr).toContain('complete: 3 rows')
  expect(status).toBe(0)
  expect(await rowsOf(file('c.ndjson'))).toHaveLength(3)
})

it('a key comes from the file that PAYMENTS_API_KEY_FILE names, in an env file, too', async () => {
  const url = await service()
  const key = await written('key', CLIENT.apiKey)
  const connection = { PAYMENTS_BASE_URL: url, PAYMENTS_CLIENT_ID: CLIENT.clientId }
  const env = { ...connection, PAYMENTS_API_KEY_FILE: key }
  expect(await cli([...EXPORT, '--out', file('a.ndjson')], { env })).toMatchObject({ status: 0 })
  const lines = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const path = await written('.env', ...lines)
  const args = [...EXPORT, '--out', file('b.ndjson'), '--env-file', path]
  expect(await cli(args)).toMatchObject({ status: 0 })
})

describe('is refused by name, and shows no secret:', () => {
  const SETTINGS = [
    'PAYMENTS_BASE_URL=https://api.example.com',
    'PAYMENTS_CLIENT_ID=me',
    `PAYMENTS_API_KEY='${secrets.apiKey}'`,
  ]

  it.each([
    ['another id', SETTINGS, { PAYMENTS_CLIENT_ID: 'you' }, 'PAYMENTS_CLIENT_ID is exported with'],
    [
      'another key',
      SETTINGS,
      { PAYMENTS_API_KEY: secrets.clientSecret },
      'PAYMENTS_API_KEY is exported with a different value than in',
    ],
    [
      'a variable that the file lacks',
      SETTINGS,
      { PAYMENTS_ON_BEHALF_OF: 'acct_1' },
      'PAYMENTS_ON_BEHALF_OF is exported but not set in',
    ],
    [
      'a misspelt setting',
      [...SETTINGS, 'PAYMENTS_BASEURL=x'],
      {},
      'PAYMENTS_BASEURL, which is not a setting (did you mean PAYMENTS_BASE_URL?)',
    ],
    ['a file without settings', [secrets.apiKey], {}, 'has no settings'],
    [
      'a key and its file',
      [...SETTINGS, 'PAYMENTS_API_KEY_FILE=key'],
      {},
      'PAYMENTS_API_KEY and PAYMENTS_API_KEY_FILE are both set',
    ],
    [
      'a key of two lines',
      [...SETTINGS.slice(0, 2), `PAYMENTS_API_KEY="${secrets.token}\n${secrets.token}"`],
      {},
      'PAYMENTS_API_KEY should be text without control characters',
    ],
  ])('%s', async (_, lines, env, said) => {
    const path = await written('.env', ...lines)
    const { status, stdout, stderr } = await cli([...EXPORT, '--env-file', path], { env })
    expect([status, stdout, stderr]).toEqual([2, '', expect.stringContaining(said)])
    expectNoSecret(stderr)
  })

  it('a file that is not there, with the name that was meant', async () => {
    await written('prod.env', ...SETTINGS)
    const { status, stderr } = await cli([...EXPORT, '--env-file', file('prdo.env')])
    expect([status, stderr]).toEqual([2, expect.stringContaining('(did you mean prod.env?)')])
    const env = { PAYMENTS_API_KEY_FILE: file('none/key') }
    const key = await cli(EXPORT, { env })
    expect(key.stderr).toContain(`the folder ${file('none')} does not exist`)
  })

  it('--env-file beside --sandbox', async () => {
    const { status, stderr } = await cli([...EXPORT, '--sandbox', '--env-file', 'x'])
    expect([status, stderr]).toEqual([2, expect.stringContaining('cannot be used with')])
  })
})

it('doctor lists what the file sets, without values', async () => {
  const path = await written(
    '.env',
    'PAYMENTS_BASE_URL=http://127.0.0.1:2',
    'PAYMENTS_CLIENT_ID=me',
    `PAYMENTS_API_KEY='${secrets.apiKey}'`,
  )
  const { stdout } = await cli(['doctor', '--env-file', path])
  expect(stdout).toContain('--env-file, PAYMENTS_BASE_URL, PAYMENTS_CLIENT_ID, PAYMENTS_API_KEY')
  expectNoSecret(stdout)
})
