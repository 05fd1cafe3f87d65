/** Files with certificates, keys and settings that options and variables name, and that are missing or hold something else. */
import { execFile, execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, it } from 'vitest'
import { builtCommand } from '../support/built.js'
import { sample } from '../support/runs.js'
import { cli, folder } from './support.js'

const file = await folder()

const PARAMETERS = ['sslrootcert', 'sslcert', 'sslkey'] as const

/** Possible states of a path: a file with this content, nothing, or a folder. */
type Content = readonly [what: string, content: string | Buffer | 'nothing' | 'a folder']

const put = async (path: string, content: Content[1]): Promise<void> => {
  if (content === 'a folder') await mkdir(path)
  else if (content !== 'nothing') await writeFile(path, content)
}

/** Contents that a certificate file may have. */
const CONTENTS: ReadonlyArray<Content> = [
  ['nothing', 'nothing'],
  ['a folder', 'a folder'],
  ['an empty file', ''],
  ['a string', 'no certificate\n'],
  ['zeros', Buffer.alloc(2_000)],
  ['a certificate that was cut off', '-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ\n'],
  ['a certificate of garbage', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'],
  ['a key of garbage', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'],
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
  it.each(sample(4, CONTENTS))('that names %s is refused, with its file', async (_, content) => {
    const path = file('some.pem')
    await put(path, content)
    for (const args of commands(
      url(`sslmode=verify-full&${parameter}=${encodeURIComponent(path)}`),
    )) {
      const { status, stdout, stderr } = await cli(args)
      expect([status, args[0]]).toEqual([2, args[0]])
      expect(stderr).toMatch(/^(?:http:.*\n)?(?:incomplete.*\n)?payments-rx: [^\n]+\n$/)
      expect(stderr).toContain(`${parameter}=${path} `)
      expect(stderr).toMatch(/set it to (?:a|the right) file/)
      expect(`${stdout}${stderr}`).not.toMatch(/secretWord|^ {4}at |ECONNREFUSED|ERR_/m)
    }
  })
})

/** Contents of the files of the AWS tools. */
const SETTINGS: ReadonlyArray<Content> = [
  ...CONTENTS,
  ['random bytes', Buffer.from([255, 0, 91, 128, 10, 61, 93, 7])],
  ['half a line', '[default\naws_access_key_id'],
  ['another profile', '[profile x]\nregion = eu-west-1\n'],
  ['an endpoint that is no URL', '[default]\nregion = eu-west-1\nendpoint_url = :::\n'],
  ['a key without its secret', '[default]\naws_access_key_id = AKIASECRETWORD\n'],
  ['a missing process', '[default]\ncredential_process = /none/at/all --key secretWord\n'],
  ['a missing profile', '[default]\nrole_arn = arn:aws:iam::1:role/x\nsource_profile = none\n'],
  ['a missing token', '[default]\nrole_arn = arn:x\nweb_identity_token_file = /none/at/all\n'],
  ['a missing session', '[default]\nsso_session = none\nsso_account_id = 1\n'],
]

describe.each(['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE'])('%s', (variable) => {
  it.each(sample(5, SETTINGS))('that names %s is refused in one line', async (_, content) => {
    const path = file('aws')
    await put(path, content)
    for (const region of [{}, { AWS_REGION: 'eu-west-1' }]) {
      const env = { HOME: '/nowhere', AWS_EC2_METADATA_DISABLED: 'true', ...region }
      for (const args of [
        ['export', 'charges', ...KEYS, '--out', 's3://bucket/x/', '--progress', 'none'],
        ['sync', 'charges', 's3://bucket/x/', ...KEYS, '--progress', 'none'],
        ['verify', 's3://bucket/x/'],
      ]) {
        const { status, stdout, stderr } = await cli(args, { env: { ...env, [variable]: path } })
        expect([status, args[0], stderr]).toEqual([2, args[0], stderr])
        expect(stderr).toMatch(/^(?:http:.*\n)?(?:incomplete.*\n)?payments-rx: [^\n]+\n$/)
        expect(`${stdout}${stderr}`).not.toMatch(/secretWord|^ {4}at |TypeError|\[object/im)
      }
    }
  })
})

describe('NODE_EXTRA_CA_CERTS', () => {
  const node = promisify(execFile)

  it.each(sample(2, CONTENTS))('that names %s brings no stack', async (_, content) => {
    const path = file('ca.pem')
    await put(path, content)
    const main = await builtCommand()
    const https = ['--base-url', 'https://127.0.0.1:9', ...KEYS.slice(2)]
    for (const args of [
      ['doctor', ...https],
      [
        ...['export', 'charges'],
        ...https,
        ...['--patience', '0', '--out', file('c.csv'), '--progress', 'none'],
      ],
    ]) {
      const env = { PATH: process.env.PATH, NODE_EXTRA_CA_CERTS: path }
      const ended: { readonly code?: number; readonly stdout: string; readonly stderr: string } =
        await node(process.execPath, [main, ...args], { env }).catch((failed) => failed)
      const said = `${ended.stdout}${ended.stderr}`
      expect([1, 2], said).toContain(ended.code)
      expect(said).toMatch(/ECONNREFUSED|BLOCKED_PORT/)
      expect(said).not.toMatch(/^ {4}at |TypeError|\[object/m)
    }
  })
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
    const { status, stderr } = await used(cert, key)
    expect([status, stderr]).toEqual([1, expect.stringContaining('ECONNREFUSED')])
  })

  it.skipIf(!made)('that do not belong together are told', async () => {
    const [[cert = ''] = [], [, key = ''] = []] = pems
    const { status, stderr } = await used(cert, key)
    expect(status).toBe(2)
    expect(stderr).toContain('the key in sslkey does not belong to the certificate in sslcert')
  })
})
