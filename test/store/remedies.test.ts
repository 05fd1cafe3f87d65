import { describe, expect, it } from 'vitest'
import { exportError, isRetryable } from '../../src/export/ExportError.js'
import { remedies, remedyOf } from '../../src/store/remedies.js'

const OPENING = `# Refusals of destinations

Each refusal of a destination has a class. Either **the same command again helps** (exit status 1, and the last line says "the
same command continues"), or **action is needed** (exit status 2, and the last line says what to do). Written rows
stay; after the action, the same command continues (\`export\` with \`--resume\`). The last line has the code and message of the
service.

In code, \`isRetryable(error)\` of \`payments-rx/export\` is true for an [\`ExportError\`](exports.md#errors) of the first class. \`verify\`, \`doctor\` and \`bench\` have
statuses of their own.

A code that is not listed passes by itself: the same command again.`

const SECTIONS = {
  system: ['Files and connections', 'Codes of the system, and of TLS.'],
  S3: [
    'Buckets',
    'Codes of S3. A service that sends none is classified by its HTTP status; a code that is not listed needs action with a status of 400, 401, 403 or 405.',
  ],
  Postgres: [
    'Postgres',
    'States (SQLSTATE), or their first two characters, the class; a whole state takes precedence over its class. PgBouncer has one state for all its errors, 08P01: there the message decides.',
  ],
  SQLite: ['SQLite', 'Primary result codes.'],
  Redis: [
    'Redis',
    'First words of its refusals, for the queue and the shared quota. At the start of a command each ends it, with status 2; later ones are waited for.',
  ],
} as const

const HEADS = ['| code | class | what to do |', '|---|---|---|']

const page = (): string =>
  [
    OPENING,
    ...(['system', 'S3', 'Postgres', 'SQLite', 'Redis'] as const).flatMap((of) => {
      const [title, words] = SECTIONS[of]
      const rows = Object.entries(remedies[of]).map(([code, remedy]) => {
        const kind = remedy.class === 'again' ? 'again' : '**act**'
        return `| \`${code}\` | ${kind} | ${remedy.advice ?? (remedy.class === 'act' ? 'as the message says' : '')} |`
      })
      return [`## ${title}`, words, [...HEADS, ...rows].join('\n')]
    }),
  ].join('\n\n')

describe('a refusal of a destination', () => {
  it('is in the reference, with its class and what to do', async () => {
    await expect(`${page()}\n`).toMatchFileSnapshot('../../docs/reference/refusals.md')
  })

  it.each([
    ['ENOSPC', 'act'],
    ['EDQUOT', 'act'],
    ['EROFS', 'act'],
    ['ECONNREFUSED', 'again'],
    ['NoSuchBucket', 'act'],
    ['SlowDown', 'again'],
    ['HTTP 501', 'act'],
    ['HTTP 400 InvalidBucketState', 'act'],
    ['HTTP 503', 'again'],
    ['25006', 'act'],
    ['25P03', 'again'],
    ['42P01', 'act'],
    ['40P01', 'again'],
    ['57P01', 'again'],
    ['SQLITE_FULL', 'act'],
    ['SQLITE_BUSY', 'again'],
    ['READONLY', 'act'],
    ['LOADING', 'again'],
    ['SomethingNew', 'again'],
  ])('%s is of class "%s"', (code, expected) => {
    expect(remedyOf(code).class).toBe(expected)
    const error = exportError('WriteFailed', 'cannot write', { path: 'p', code })
    expect(isRetryable(error)).toBe(expected === 'again')
  })

  it('helps again where another run or the clock was in the way', () => {
    expect(isRetryable(exportError('Locked', 'in use', { path: 'p' }))).toBe(true)
    expect(isRetryable(exportError('DeadlinePassed', 'late', { deadline: 1 }))).toBe(true)
    expect(isRetryable(exportError('UnusablePath', 'no folder', { path: 'p' }))).toBe(false)
  })
})
