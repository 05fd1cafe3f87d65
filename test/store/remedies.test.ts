import { describe, expect, it } from 'vitest'
import { exportError, isRetryable } from '../../src/export/ExportError.js'
import { remedies, remedyOf } from '../../src/store/remedies.js'

const OPENING = `# Error codes of destinations

An error of a destination is either **safe to retry** (exit status 1), or you must **fix the cause first** (exit status 2; the last
line says what to do). Rows already written are kept. Once you have fixed the cause, rerun the same command (\`export\` with
\`--resume\`). The last line has the code and message of the destination.

In code, \`isRetryable(error)\` of \`payments-rx/export\` is true for an [\`ExportError\`](exports.md#errors) or a
[failure of a call](../failures.md) that is safe to retry. \`verify\` and \`doctor\` also end with 1 if a check fails.

Any other code is treated as temporary: run the same command again.`

const SECTIONS = {
  system: ['Files and connections', 'Codes of the system and of TLS.'],
  S3: [
    'Buckets',
    'Codes of S3. An error without a code is classified by its HTTP status. With a status of 400, 401, 403 or 405, any other code means: fix the cause first.',
  ],
  Postgres: [
    'Postgres',
    'SQLSTATE codes, or their first two characters. A whole code takes precedence. PgBouncer has one code for all its errors, 08P01: there the message decides.',
  ],
  SQLite: ['SQLite', 'Primary result codes.'],
} as const

const HEADS = ['| codes | | what to do |', '|---|---|---|']

const page = (): string =>
  [
    OPENING,
    ...(['system', 'S3', 'Postgres', 'SQLite'] as const).flatMap((of) => {
      const [title, words] = SECTIONS[of]
      const codes = new Map<string, ReadonlyArray<string>>()
      for (const [code, { class: kind, advice }] of Object.entries(remedies[of])) {
        const remedy =
          kind === 'again'
            ? `retry | ${advice ?? ''}`
            : `**fix first** | ${advice ?? 'see the message'}`
        codes.set(remedy, [...(codes.get(remedy) ?? []), `\`${code}\``])
      }
      const rows = Array.from(codes, ([remedy, all]) => `| ${all.join(', ')} | ${remedy} |`)
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
    ['SomethingNew', 'again'],
  ])('%s is of class "%s"', (code, expected) => {
    expect(remedyOf(code).class).toBe(expected)
    const error = exportError('WriteFailed', 'cannot write', { path: 'p', code })
    expect(isRetryable(error)).toBe(expected === 'again')
  })

  it('of the service helps again unless it needs action, or a look', () => {
    const failure = { endpoint: 'GET /', attempts: 1, message: 'no' }
    const refused = (status: number) =>
      isRetryable({ ...failure, _tag: 'Refused', status, code: 'no' })
    expect([403, 404, 409, 423].map(refused)).toEqual([false, false, true, true])
    const unreachable = (code: string) =>
      isRetryable({ ...failure, _tag: 'Unreachable', code, mayHaveArrived: false })
    expect(['ECONNRESET', 'BLOCKED_PORT', 'ENOTFOUND'].map(unreachable)).toEqual([
      true,
      false,
      false,
    ])
    const cause = { ...failure, _tag: 'ServerFault', status: 500, code: 'no' } as const
    expect(isRetryable(cause)).toBe(true)
    expect(isRetryable({ ...failure, _tag: 'Ambiguous', tried: [], cause })).toBe(false)
  })

  it('helps again where another run or the clock was in the way', () => {
    expect(isRetryable(exportError('Locked', 'in use', { path: 'p' }))).toBe(true)
    expect(isRetryable(exportError('DeadlinePassed', 'late', { deadline: 1 }))).toBe(true)
    expect(isRetryable(exportError('UnusablePath', 'no folder', { path: 'p' }))).toBe(false)
  })
})
