/** Files with certificates and keys that options name, and that are missing or hold something else. */
import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { cli, folder } from './support.js'

const file = await folder()

const PARAMETERS = ['sslrootcert', 'sslcert', 'sslkey'] as const

/** Contents that a certificate file may have. */
const CONTENTS: ReadonlyArray<readonly [what: string, make: (path: string) => Promise<unknown>]> = [
  ['nothing', async () => {}],
  ['a folder', (path) => mkdir(path)],
  ['an empty file', (path) => writeFile(path, '')],
  ['a text', (path) => writeFile(path, 'no certificate\n')],
  ['zeros', (path) => writeFile(path, Buffer.alloc(2_000))],
  [
    'a certificate that was cut off',
    (path) => writeFile(path, '-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ\n'),
  ],
  [
    'a certificate of garbage',
    (path) => writeFile(path, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'),
  ],
  [
    'a key of garbage',
    (path) => writeFile(path, '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'),
  ],
]

const KEYS = ['--base-url', 'http://127.0.0.1:9', '--client-id', 'a', '--api-key', 'b']

/** Commands that open a Postgres. */
const commands = (to: string): ReadonlyArray<ReadonlyArray<string>> => [
  ['sync', 'charges', to, ...KEYS, '--progress', 'none'],
  ['follow', 'charges', to, ...KEYS],
  ['verify', to, '--against-service', ...KEYS],
]

const url = (query: string) => `postgres://user:secretWord@127.0.0.1:1/finance?${query}`

beforeEach(() => mkdir(file('.'), { recursive: true }).then(() => {}))

describe.each(PARAMETERS)('%s', (parameter) => {
  it.each(CONTENTS)(
    'that names %s is told, with its file, and nothing is sent',
    async (_, make) => {
      const path = file('some.pem')
      await make(path)
      for (const args of commands(
        url(`sslmode=verify-full&${parameter}=${encodeURIComponent(path)}`),
      )) {
        const { status, stdout, stderr } = await cli(args)
        expect([status, args[0]]).toEqual([2, args[0]])
        expect(stderr).toMatch(/^(?:incomplete.*\n)?payments-rx: [^\n]+\n$/)
        expect(stderr).toContain(`${parameter}=${path} `)
        expect(stderr).toMatch(/name (?:a|the) file/)
        expect(`${stdout}${stderr}`).not.toMatch(/secretWord|^ {4}at |ECONNREFUSED|ERR_/m)
      }
    },
  )
})

describe('a certificate and a key', () => {
  const made = (() => {
    try {
      return execFileSync('openssl', ['version'], { encoding: 'utf8' }) !== ''
    } catch {
      return false
    }
  })()
  let pems: ReadonlyArray<readonly [cert: string, key: string]> = []
  const generated = async (name: string): Promise<readonly [string, string]> => {
    const [cert, key] = [file(`${name}.crt`), file(`${name}.key`)]
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
    const args = ['req', '-x509', ...kind, '-keyout', key, '-out', cert, '-subj', '/CN=x']
    execFileSync('openssl', args, { stdio: 'ignore' })
    return [cert, key]
  }
  beforeEach(async () => {
    if (made) pems = [await generated('one'), await generated('other')]
  })
  const used = async (cert: string, key: string) => {
    const [args = []] = commands(url(`sslmode=verify-full&sslcert=${cert}&sslkey=${key}`))
    return cli(args)
  }

  it.skipIf(!made)('that belong together are used: nothing listens there', async () => {
    const [[cert = '', key = ''] = []] = pems
    expect(await used(cert, key)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('ECONNREFUSED'),
    })
  })

  it.skipIf(!made)('that do not belong together are told', async () => {
    const [[cert = ''] = [], [, key = ''] = []] = pems
    expect(await used(cert, key)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('sslkey is not the key of sslcert'),
    })
  })
})
