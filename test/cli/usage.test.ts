import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { cli } from './support.js'

/** The arguments of a command line; those in quotes may be empty, or have spaces. */
const wordsOf = (line: string): ReadonlyArray<string> =>
  (line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", ''))

describe('wrong use ends with status 2 and one clear line', () => {
  const lines: Readonly<Record<string, string>> = {
    'export charges --page-size 5': 'whole number from 10 to 2000',
    'export charges --page-size 10.5': 'whole number',
    "export charges --from 'last week'": 'ISO 8601',
    'export charges --to 2024-13-01': 'ISO 8601',
    'export charges --to 2023-02-29': 'ISO 8601',
    'export charges --from 2023-04-31T10:00:00Z': 'ISO 8601',
    'export charges --sandbox --from 2025-01-01 --to 2024-01-01':
      '--from should not be later than --to',
    'export charges --sandbox --from 2025-01-01T12:00 --to 2025-01-01T11:00':
      '--from should not be later than --to',
    "export charges --sandbox --out ''": '--out <path>',
    "export charges --sandbox --source ''": 'It should not be empty',
    "export charges --sandbox --request-id ''": 'It should not be empty',
    "export charges --sandbox --out c.csv --checkpoint ''": 'not be empty',
    "export charges --sandbox --rejects ''": 'It should not be empty',
    "export charges --login-as ''": 'It should not be empty',
    "export charges --client-id ''": 'It should not be empty',
    "export batch-items --sandbox --batch ''": 'It should not be empty',
    'export charges --sandbox --out no/such/c.csv':
      '--out: no/such should be an existing, writable folder',
    'export charges --status DONE': 'NEW, PENDING, SETTLED, SUSPENDED, FAILED',
    'export charges --currency usd': 'such as USD',
    'export charges --format xls': 'ndjson, json, csv, parquet',
    'export charges --compress zip': 'none, gzip, zstd',
    'export charges --sandbox --columns id,,amount': 'names separated by commas',
    'export charges --sandbox --columns id,amuont': 'there is no amuont',
    'export charges --sandbox --columns id,:text': 'there is no column with an empty name',
    'export charges --share 2': 'greater than 0 and at most 1',
    'export charges --no-limits --share 0.5': 'cannot be used with',
    'export charges --parallel 0': 'whole number from 1 to 100',
    'export charges --patience long': 'a time such as 5m, or forever',
    'export charges --patience 300': 'It needs a unit: ms, s (seconds), m (minutes)',
    'export charges --timeout 60': 'It needs a unit',
    'export charges --guard 50': 'It needs a unit',
    'export charges --deadline 3600': 'It needs a unit',
    'sandbox --latency 200': 'It needs a unit',
    'bench --jitter 30': 'It needs a unit',
    'export charges --from tomorrow': 'a date, today, yesterday, or how long ago',
    'export charges --max-rejects -1': 'whole number from 0',
    'sync charges a.sqlite --lookback 1w': 'a time such as 7d, 12h or 30m',
    'export charges --resume --restart': 'cannot be used with',
    'export charges --sandbox --resume': '--resume should be omitted: output to a stream',
    'export charges --sandbox --checkpoint c': '--checkpoint should be omitted: output to a stream',
    'export charges --sandbox --rotate-rows 5':
      '--rotate-rows should be omitted: only a folder (FOLDER/) is split into several files',
    'export charges --sandbox --amounts text': '--amounts should be omitted: the format is ndjson',
    'export charges --sandbox --formulas mask':
      '--formulas should be omitted: the format is ndjson',
    'export charges --sandbox --out a.csv.gz --compress zstd':
      "--compress should be 'gzip', to match the file name a.csv.gz",
    'export charges --sandbox --out a.parquet.gz': 'NAME.parquet',
    'export charges --sandbox --out a.csv.bz2':
      '.ndjson, .jsonl, .json, .csv, .parquet, optionally followed by .gz or .zst',
    'export charges --sandbox --out a.xlsx --compress none': '.xlsx is not a known format',
    'export charges --sandbox --out a.ndjson --format csv':
      "--format should be 'ndjson', to match the file name a.ndjson",
    'export charges --sandbox --status SETTLED --status FAILED': '--status was given twice',
    'export charges --sandbox --page-size=10 --page-size=10': '--page-size was given',
    'export charges --out a.csv --out b.csv': '--out was given twice',
    'export charges --client-id a --client-id b': '--client-id was given twice',
    'sandbox --port 0 --port 1': '--port was given twice',
    'export batch-items --sandbox':
      '--batch <id> is required; for example: payments-rx export batch-items --batch',
    'export webhooks --parallel 2': "unknown option '--parallel'",
    'export partner-webhooks --base-url https://a.example': 'PAYMENTS_PARTNER_ID',
    verify: 'PATH is missing; for example: payments-rx verify charges.csv',
    "verify ''": 'It should not be empty',
    'verify no/such/export.csv': `the folder ${process.cwd()}/no/such does not exist`,
    'verify package.json': 'manifest.json does not exist: give the file or folder from --out',
    'export charges --environment moon': 'production, test',
    'export charges --guard brave': 'learned, safe, or a time such as 50ms',
    'export charges --rows 5': '--rows requires --sandbox',
    'export batch-transfers --rows 5': '--rows requires --sandbox',
    'sync charges a.sqlite --rows 5': '--rows requires --sandbox',
    'follow charges --rows 5': '--rows requires --sandbox',
    'export webhooks --sandbox --rows 5': "unknown option '--rows'",
    'export charges --sandbox --base-url https://a.example': 'cannot be used with',
    'export charges --sandbox --login-as a': 'cannot be used with',
    'export partner-webhooks --sandbox --partner-id a': 'cannot be used with',
    'export partner-webhooks --sandbox --partner-secret a': 'cannot be used with',
    'doctor --sandbox --api-version 2024-09-27': 'cannot be used with',
    'export partner-webhooks --api-version 2024-09-27': 'unknown option',
    'export charges --base-url https://a.example --client-id a --api-key b --api-version latest':
      '--api-version or PAYMENTS_API_VERSION should be',
    'export charges': '--base-url or PAYMENTS_BASE_URL is required',
    'export charges --base-url https://a.example': '--client-id or PAYMENTS_CLIENT_ID',
    'export charges --base-url http://a.example --client-id a --api-key b':
      '--base-url or PAYMENTS_BASE_URL should be an HTTPS URL (or HTTP on this machine, and elsewhere with --plain-http)',
    'export charges --timeout 301s': 'a time from 1s to 5m',
    'export charges --timeout 6m': 'a time from 1s to 5m',
    'export charges --lease 1ms': 'a time from 100ms to 10m',
    'export charges --lease 100ms': 'PAYMENTS_BASE_URL is required',
    'export charges --lease 10m': 'PAYMENTS_BASE_URL is required',
    'sync charges c.db --lease 1ms': 'a time from 100ms to 10m',
    'follow charges c.db --lease 11m': 'a time from 100ms to 10m',
    'follow charges --every 0s': 'a time of at least 1ms',
    'bench --duration 1s': 'a time of at least 2s',
    'export charges --timeout 90s --patience 5m': 'PAYMENTS_BASE_URL is required',
    'export charges --sandbox --plain-http': 'cannot be used with',
    'export charges --colour': "unknown option '--colour'",
    'export refunds': 'unknown command: choose one of charges, batch-transfers',
    'sandbox --port 70000': 'whole number from 0 to 65535',
    frobnicate: 'unknown command: choose one of export, sync',
    'exprot charges': "unknown command 'exprot' (did you mean export?)",
    'export chrages': "unknown command 'chrages' (did you mean charges?)",
    'export --out c.csv charges': 'put --out after charges: payments-rx export charges --out',
    '--sandbox export charges': 'put --sandbox after charges: payments-rx export charges',
    'sync --since=7d charges c.db': 'put --since after charges',
    'help frobnicate': 'unknown command: choose one of export, sync',
    'help export refunds': 'unknown command: choose one of charges',
    'help refunds export': 'unknown command: choose one of export',
    'export help refunds': 'unknown command: choose one of charges',
  }

  it.each(Object.entries(lines))('%s', async (line, said) => {
    const { status, stdout, stderr } = await cli(wordsOf(line))
    expect(status).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain(said)
    expect(stderr).toMatch(/^payments-rx: .*\n$/)
  })

  it('takes an option before its variable, and a word that says the same again', async () => {
    const args = ['export', 'charges', '--api-key', 'k', '--quiet', '--quiet']
    const { stderr } = await cli(args, { env: { PAYMENTS_API_KEY: 'key' } })
    expect(stderr).toBe(
      'payments-rx: --base-url or PAYMENTS_BASE_URL is required, --client-id or PAYMENTS_CLIENT_ID is required (or use --sandbox to try it without an account)\n',
    )
  })

  it('names the variable that is wrong', async () => {
    const { status, stderr } = await cli(['export', 'charges'], {
      env: { PAYMENTS_ENVIRONMENT: 'moon' },
    })
    expect(status).toBe(2)
    expect(stderr).toContain('PAYMENTS_ENVIRONMENT should be one of production, test')
  })

  it.each([
    [['--plain-http'], {}],
    [[], { PAYMENTS_PLAIN_HTTP: '1' }],
  ])('reaches another machine by HTTP where that is meant: %j %j', async (flags, variables) => {
    const env = { PAYMENTS_BASE_URL: 'http://sandbox.invalid:8080', ...variables }
    const keys = { PAYMENTS_CLIENT_ID: 'me', PAYMENTS_API_KEY: 'key' }
    const args = ['export', 'charges', '--patience', '0', ...flags]
    const { status, stderr } = await cli(args, { env: { ...env, ...keys } })
    expect(stderr).toMatch(/login: (ENOTFOUND|EAI_AGAIN)/)
    expect(status).toBe(stderr.includes('ENOTFOUND') ? 2 : 1)
  })

  it('takes an empty variable for one that is not set', async () => {
    const { stderr } = await cli(['export', 'charges', '--base-url', 'http://a.example'], {
      env: {
        ...{ PAYMENTS_ENVIRONMENT: '', PAYMENTS_LOGIN_AS: '', PAYMENTS_ON_BEHALF_OF: '' },
        ...{ PAYMENTS_CLIENT_ID: 'me', PAYMENTS_API_KEY: 'key' },
      },
    })
    expect(stderr).toContain('PAYMENTS_BASE_URL should be') // and nothing else is wrong
  })

  it('names a variable whose value cannot work, and not the value', async () => {
    const { status, stderr } = await cli(['export', 'charges'], {
      env: {
        ...{ PAYMENTS_BASE_URL: 'https://a.example', PAYMENTS_CLIENT_ID: 'me' },
        PAYMENTS_API_KEY: 'SECRET\n123',
      },
    })
    expect(status).toBe(2)
    expect(stderr).toBe('payments-rx: PAYMENTS_API_KEY should be text without control characters\n')
  })

  it.each([
    [['export', 'charges', '--api-key=', 'SECRET123'], /It should not be empty\.\n$/],
    [['export', 'charges', 'SECRET123'], /too many arguments.* but got 1; .* --out FILE\n$/],
    [['verify', 'SECRET123', 'SECRET123'], /too many arguments.* but got 2\n$/],
    [
      ['export', 'charges', '--api-kee=SECRET123'],
      /unknown option '--api-kee' \(did you mean --api-key\?\)\n$/,
    ],
    [['export', 'charges', '--SECRET123'], /unknown option\n$/],
    [['export', 'charges', '-SECRET123'], /unknown option\n$/],
    [['SECRET123'], /unknown command: choose one of [^'\n]*\n$/],
    [['export', "SECRET'\n123"], /unknown command: choose one of [^'\n]*\n$/],
    [['help', 'SECRET123'], /unknown command: choose one of [^'\n]*\n$/],
    [
      ['export', 'charges', '--page-size', "SECRET'\n123"],
      /'--page-size <n>' is invalid\. It should/,
    ],
    [['export', 'charges', '--status', 'SECRET123'], /'--status <status>' is invalid\. Allowed/],
  ])('does not echo an argument that may be a key: %j', async (args, said) => {
    const { status, stderr } = await cli(args)
    expect(status).toBe(2)
    expect(stderr).toMatch(said)
    expect(stderr).not.toContain('SECRET')
  })
})

const ACCOUNT = '--base-url http://127.0.0.1:9 --client-id a --api-key b'

const meant: Readonly<Record<string, string>> = {
  'export charges --since 2026-01-01': "unknown option '--since' (did you mean --from?)",
  'sync charges a.db --from 7d': "unknown option '--from' (did you mean --since?)",
  'export charges -o a.csv': "unknown option '-o' (did you mean --out?)",
  'export charges --force': "unknown option '--force' (did you mean --restart?)",
  'export charges --concurrency 5': '(did you mean --parallel?)',
  'export charges a.csv': 'use --out to name the file: payments-rx export charges --out a.csv',
  'sync charges --out x.db':
    "unknown option '--out': DEST is an argument, not an option: payments-rx sync charges x.db",
  'pay --file=wages.csv': 'FILE is an argument, not an option: payments-rx pay wages.csv',
  'sync charges --to SECRET': 'DEST is an argument, not an option: payments-rx sync charges DEST',
  'sync charges': 'DEST is missing; for example: payments-rx sync charges charges.sqlite',
  'charges export': 'unknown command: did you mean payments-rx export charges?',
  version: 'unknown command: did you mean --version?',
  'bench reed': "WORKLOAD is 'reed' (did you mean read?). Allowed choices are read, mixed",
  'call charges.retrieve --id 7': 'write parameters without dashes: id=VALUE',
  'export charges --status NEW,FAILED': 'Choose one of them.',
  'call charges retrieve id=7': 'did you mean charges.retrieve?',
  'call charges.retrieve 7': 'parameter 1 should be name=value, such as id=...',
  'call charges.create @none/body.json': ' does not exist',
  'pay package.jsn --run a --format csv --sandbox': 'did you mean package.json?',
  'pay wages.xlsx --run a': 'save wages.xlsx as CSV first',
  'export charges --base-url localhost:80 --client-id a --api-key b':
    'begin with https:// or http://',
  [`export charges --out c.db ${ACCOUNT}`]: 'a database); use sync: payments-rx sync charges c.db',
  [`export charges --out postgres://u:secret@db.example/a ${ACCOUNT}`]:
    'use sync: payments-rx sync charges postgres://HOST/DATABASE',
  [`sync charges c.csv ${ACCOUNT}`]:
    'to write a file, use export: payments-rx export charges --out c.csv',
  [`sync all test ${ACCOUNT}`]: 'a folder needs a trailing slash: payments-rx sync all test/',
  [`follow charges test ${ACCOUNT}`]:
    'a folder needs a trailing slash: payments-rx sync charges test/',
  'verify package.jsn': `file not found in ${process.cwd()} (did you mean package.json?)`,
  'bench --against nope.mjs --sandbox': `--against: cannot read nope.mjs: file not found in ${process.cwd()}`,
  'bench --against ./a.mjs --base-url https://a.example':
    '--against would exceed the rate limits of the real account in your connection settings: add --sandbox',
}

it.each(Object.entries(meant))('says what was probably meant: %s', async (line, said) => {
  const { status, stderr } = await cli(wordsOf(line))
  expect([status, stderr]).toEqual([2, expect.stringContaining(said)])
})

it.each([
  [
    ['--status', 'SETTELD'],
    "payments-rx: option '--status <status>' is 'SETTELD' (did you mean SETTLED?). Allowed choices are NEW, PENDING, SETTLED, SUSPENDED, FAILED.\n",
  ],
  [
    ['--from', '2026-02-30'],
    "payments-rx: option '--from <time>' is invalid. It should be an ISO 8601 time such as 2026-01-31T12:00:00Z, a date, today, yesterday, or how long ago, such as 24h or 7d, but is '2026-02-30', a day that does not exist.\n",
  ],
])('shows a misspelt choice and a wrong date: %j', async (flags, said) => {
  const { status, stderr } = await cli(['export', 'charges', '--out', '-', ...flags])
  expect([status, stderr]).toEqual([2, said])
})

describe('help', () => {
  const ASKED = ['--help', 'help', 'help export', 'export charges --help']

  it.each(ASKED)('%s is on stdout, with status 0', async (line) => {
    const { status, stdout, stderr } = await cli(wordsOf(line))
    expect(status).toBe(0)
    expect(stderr).toBe('')
    expect(stdout).toContain('Usage: payments-rx')
  })

  it.each(['sandbox', 'trigger', 'export'])('of %s has rows within 60 columns', async (name) => {
    const { stdout } = await cli([name, '--help'], { columns: 60 })
    const [, rows = ''] = /\n(?:Options|Commands):\n(.*?)\n\n(?!Commands)/s.exec(stdout) ?? []
    expect(rows.split('\n').filter((line) => line.length > 60)).toEqual([])
  })

  it('is asked for in either way', async () => {
    const { stdout } = await cli(['export', 'charges', '--help'])
    expect(await cli(['help', 'export', 'charges'])).toEqual({ status: 0, stdout, stderr: '' })
    expect(await cli(['export', 'help', 'charges'])).toEqual({ status: 0, stdout, stderr: '' })
    const verify = await cli(['verify', '--help'])
    expect(await cli(['help', 'verify'])).toEqual(verify)
    expect(await cli(['help', 'verify', 'charges.csv'])).toEqual(verify)
  })

  it('warns of keys on a command line, and names the variables and statuses', async () => {
    const { stdout } = await cli(['export', 'charges', '--help'])
    const text = stdout.replace(/\s+/g, ' ')
    for (const said of [
      ...['PAYMENTS_BASE_URL', 'PAYMENTS_CLIENT_ID', 'PAYMENTS_API_KEY', 'PAYMENTS_ENVIRONMENT'],
      ...['other users of this machine can see command lines', 'Exit status: 0 done', '--resume'],
      ...['--max-rejects', '130', '143', '141', 'jq .id'],
    ]) {
      expect(text).toContain(said)
    }
  })

  it('tells the version', async () => {
    expect(await cli(['--version'])).toEqual({ status: 0, stdout: '1.2.3\n', stderr: '' })
  })
})

describe('on a terminal of 60, 80 and 120 columns', () => {
  const words = (text: string): ReadonlyArray<string> => text.split(/\s+/)

  it.each([60, 80, 120])('no word is broken at %i', async (columns) => {
    const args = ['doctor', '--base-url', 'ftp://platform.example', '--client-id', 'me']
    const piped = await cli(args)
    const shown = await cli(args, { isTTY: true, columns })
    for (const stream of ['stdout', 'stderr'] as const) {
      const plain = stripVTControlCharacters(shown[stream])
      expect(words(plain)).toEqual(words(piped[stream]))
      for (const line of plain.split('\n')) expect(line.length).toBeLessThanOrEqual(columns)
    }
  })

  it('verdicts of doctor have colours, unless NO_COLOR is set', async () => {
    const args = ['doctor', '--base-url', 'ftp://platform.example']
    const { stdout } = await cli(args, { isTTY: true, columns: 80 })
    expect(stdout).toContain('\u001b[31mfailed\u001b[39m')
    const plain = await cli(args, { isTTY: true, columns: 80, env: { NO_COLOR: '1' } })
    expect(plain.stdout).not.toContain('\u001b[')
  })
})
