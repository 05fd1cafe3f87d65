import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { cli } from './support.js'

describe('wrong use ends with status 2 and one clear line', () => {
  it.each([
    [['export', 'charges', '--page-size', '5'], 'whole number from 10 to 2000'],
    [['export', 'charges', '--page-size', '10.5'], 'whole number'],
    [['export', 'charges', '--from', 'last week'], 'ISO 8601'],
    [['export', 'charges', '--to', '2024-13-01'], 'ISO 8601'],
    [['export', 'charges', '--to', '2023-02-29'], 'ISO 8601'],
    [['export', 'charges', '--from', '2023-04-31T10:00:00Z'], 'ISO 8601'],
    [
      ['export', 'charges', '--sandbox', '--from', '2025-01-01', '--to', '2024-01-01'],
      '--from should not be later than --to',
    ],
    [
      ['export', 'charges', '--sandbox', '--from', '2025-01-01T12:00', '--to', '2025-01-01T11:00'],
      '--from should not be later than --to',
    ],
    [['export', 'charges', '--sandbox', '--out', ''], '--out <path>'],
    [['export', 'charges', '--sandbox', '--source', ''], 'It should not be empty'],
    [['export', 'charges', '--sandbox', '--request-id', ''], 'It should not be empty'],
    [['export', 'charges', '--sandbox', '--out', 'c.csv', '--checkpoint', ''], 'not be empty'],
    [['export', 'charges', '--sandbox', '--report', ''], 'It should not be empty'],
    [['export', 'charges', '--sandbox', '--since-last', ''], 'It should not be empty'],
    [['export', 'charges', '--login-as', ''], 'It should not be empty'],
    [['export', 'charges', '--client-id', ''], 'It should not be empty'],
    [['export', 'batch-items', '--sandbox', '--batch', ''], 'It should not be empty'],
    [
      ['export', 'charges', '--sandbox', '--out', 'no/such/c.csv'],
      '--out: no/such should be a folder that can be written to',
    ],
    [['export', 'charges', '--status', 'DONE'], 'NEW, PENDING, SETTLED, SUSPENDED, FAILED'],
    [['export', 'charges', '--currency', 'usd'], 'such as USD'],
    [['export', 'charges', '--format', 'xls'], 'ndjson, json, csv, parquet'],
    [['export', 'charges', '--compress', 'zip'], 'none, gzip, zstd'],
    [['export', 'charges', '--sandbox', '--columns', 'id,,amount'], 'names with commas'],
    [['export', 'charges', '--sandbox', '--columns', 'id,amuont'], 'there is no amuont'],
    [['export', 'charges', '--sandbox', '--columns', 'id,:text'], 'there is no one without a name'],
    [['export', 'charges', '--share', '2'], 'above 0 and up to 1'],
    [['export', 'charges', '--no-limits', '--share', '0.5'], 'cannot be used with'],
    [['export', 'charges', '--parallel', '0'], 'whole number from 1 to 100'],
    [['export', 'charges', '--patience', 'long'], 'a time such as 5m, or forever'],
    [['export', 'charges', '--patience', '300'], 'It has no unit: ms, s (seconds), m (minutes)'],
    [['export', 'charges', '--timeout', '60'], 'It has no unit'],
    [['export', 'charges', '--guard', '50'], 'It has no unit'],
    [['export', 'charges', '--deadline', '3600'], 'It has no unit'],
    [['sandbox', '--latency', '200'], 'It has no unit'],
    [['bench', '--jitter', '30'], 'It has no unit'],
    [['export', 'charges', '--from', 'tomorrow'], 'a date, today, yesterday, or a time before now'],
    [['export', 'charges', '--max-rejects', '-1'], 'whole number from 0'],
    [['export', 'charges', '--lookback', '1w'], 'a time such as 7d, 12h or 30m'],
    [['export', 'charges', '--sandbox', '--lookback', '1d'], '--lookback should be left out'],
    [['export', 'charges', '--from', '2024-01-01', '--since-last'], 'cannot be used with'],
    [['export', 'charges', '--resume', '--restart'], 'cannot be used with'],
    [
      ['export', 'charges', '--sandbox', '--resume'],
      '--resume should be left out: what went into a stream',
    ],
    [
      ['export', 'charges', '--sandbox', '--checkpoint', 'c'],
      '--checkpoint should be left out: what went into a stream',
    ],
    [
      ['export', 'charges', '--sandbox', '--rotate-rows', '5'],
      '--rotate-rows should be left out: one file has no parts',
    ],
    [
      ['export', 'charges', '--sandbox', '--amounts', 'text'],
      '--amounts should be left out: the format is ndjson',
    ],
    [
      ['export', 'charges', '--sandbox', '--formulas', 'mask'],
      '--formulas should be left out: the format is ndjson',
    ],
    [
      ['export', 'charges', '--sandbox', '--out', 'a.csv.gz', '--compress', 'zstd'],
      "--compress should be 'gzip', as the name a.csv.gz says",
    ],
    [['export', 'charges', '--sandbox', '--out', 'a.parquet.gz'], 'NAME.parquet'],
    [
      ['export', 'charges', '--sandbox', '--out', 'a.csv.bz2'],
      '.ndjson, .jsonl, .json, .csv, .parquet, and after them .gz or .zst',
    ],
    [
      ['export', 'charges', '--sandbox', '--out', 'a.xlsx', '--compress', 'none'],
      '.xlsx says no format',
    ],
    [
      ['export', 'charges', '--sandbox', '--out', 'a.ndjson', '--format', 'csv'],
      "--format should be 'ndjson', as the name a.ndjson says",
    ],
    [
      ['export', 'charges', '--sandbox', '--out', 'a.csv', '--since-last'],
      '--since-last should be the manifest of the run before',
    ],
    [
      ['export', 'charges', '--sandbox', '--progress', 'json', '--out', 'a.csv', '--since-last'],
      '--since-last should be the manifest of the run before',
    ],
    [
      ['export', 'charges', '--sandbox', '--status', 'SETTLED', '--status', 'FAILED'],
      '--status is given twice',
    ],
    [
      ['export', 'charges', '--sandbox', '--page-size=10', '--page-size=10'],
      '--page-size is given',
    ],
    [
      ['export', 'charges', '--since-last', '--since-last', 'm.json'],
      '--since-last is given twice',
    ],
    [['export', 'charges', '--client-id', 'a', '--client-id', 'b'], '--client-id is given twice'],
    [['sandbox', '--port', '0', '--port', '1'], '--port is given twice'],
    [['export', 'batch-items', '--sandbox'], "required option '--batch <id>'"],
    [['export', 'webhooks', '--since-last'], "unknown option '--since-last'"],
    [['export', 'partner-webhooks', '--base-url', 'https://a.example'], 'PAYMENTS_PARTNER_ID'],
    [['verify'], "missing required argument 'path'"],
    [['verify', ''], 'It should not be empty'],
    [
      ['verify', 'no/such/export.csv'],
      'manifest.json is not there: name a file or folder as --out',
    ],
    [['export', 'charges', '--environment', 'moon'], 'production, sandbox'],
    [['export', 'charges', '--guard', 'brave'], 'learned, safe, or a time such as 50ms'],
    [['export', 'charges', '--rows', '5'], '--rows goes with --sandbox'],
    [['export', 'batch-transfers', '--rows', '5'], '--rows goes with --sandbox'],
    [['sync', 'charges', 'a.sqlite', '--rows', '5'], '--rows goes with --sandbox'],
    [['follow', 'charges', '--rows', '5'], '--rows goes with --sandbox'],
    [['tap', '--rows', '5'], '--rows goes with --sandbox'],
    [['export', 'webhooks', '--sandbox', '--rows', '5'], "unknown option '--rows'"],
    [['export', 'charges', '--sandbox', '--base-url', 'https://a.example'], 'cannot be used with'],
    [['export', 'charges', '--sandbox', '--login-as', 'a'], 'cannot be used with'],
    [['export', 'charges', '--sandbox', '--on-behalf-of', 'a'], 'cannot be used with'],
    [['export', 'partner-webhooks', '--sandbox', '--partner-id', 'a'], 'cannot be used with'],
    [['export', 'partner-webhooks', '--sandbox', '--partner-secret', 'a'], 'cannot be used with'],
    [['doctor', '--sandbox', '--on-behalf-of', 'a'], 'cannot be used with'],
    [['doctor', '--sandbox', '--api-version', '2024-09-27'], 'cannot be used with'],
    [['export', 'partner-webhooks', '--api-version', '2024-09-27'], 'unknown option'],
    [
      [
        ...['export', 'charges', '--base-url', 'https://a.example', '--client-id', 'a'],
        ...['--api-key', 'b', '--api-version', 'latest'],
      ],
      '--api-version or PAYMENTS_API_VERSION should be',
    ],
    [['export', 'charges'], '--base-url or PAYMENTS_BASE_URL is needed'],
    [['export', 'charges', '--base-url', 'https://a.example'], '--client-id or PAYMENTS_CLIENT_ID'],
    [
      ['export', 'charges', '--base-url', 'http://a.example', '--client-id', 'a', '--api-key', 'b'],
      '--base-url or PAYMENTS_BASE_URL should be an HTTPS URL (or HTTP on this machine, and elsewhere with --plain-http)',
    ],
    [['export', 'charges', '--timeout', '301s'], 'a time from 1s to 5m'],
    [['export', 'charges', '--timeout', '6m'], 'a time from 1s to 5m'],
    [['export', 'charges', '--lease', '1ms'], 'a time from 100ms to 10m'],
    [['export', 'charges', '--lease', '100ms'], 'PAYMENTS_BASE_URL is needed'],
    [['export', 'charges', '--lease', '10m'], 'PAYMENTS_BASE_URL is needed'],
    [['sync', 'charges', 'c.db', '--lease', '1ms'], 'a time from 100ms to 10m'],
    [['follow', 'charges', 'c.db', '--lease', '11m'], 'a time from 100ms to 10m'],
    [['worker', '--lease', '100ms'], 'a time from 1s to 10m'],
    [['follow', 'charges', '--every', '0s'], 'a time of at least 1ms'],
    [['bench', '--duration', '1s'], 'a time of at least 2s'],
    [['export', 'charges', '--timeout', '90s', '--patience', '5m'], 'PAYMENTS_BASE_URL is needed'],
    [['export', 'charges', '--sandbox', '--plain-http'], 'cannot be used with'],
    [['export', 'charges', '--colour'], "unknown option '--colour'"],
    [['export', 'refunds'], 'unknown command\n'],
    [['sandbox', '--port', '70000'], 'whole number from 0 to 65535'],
    [['frobnicate'], 'unknown command\n'],
    [['exprot', 'charges'], "unknown command 'exprot' (Did you mean export?)"],
    [['export', 'chrages'], "unknown command 'chrages' (Did you mean charges?)"],
    [
      ['export', '--out', 'c.csv', 'charges'],
      '--out goes after charges: payments-rx export charges --out',
    ],
    [
      ['--sandbox', 'export', 'charges'],
      '--sandbox goes after charges: payments-rx export charges',
    ],
    [['sync', '--since=7d', 'charges', 'c.db'], '--since goes after charges'],
    [['help', 'frobnicate'], 'unknown command\n'],
    [['help', 'export', 'refunds'], 'unknown command\n'],
    [['help', 'refunds', 'export'], 'unknown command\n'],
    [['export', 'help', 'refunds'], 'unknown command\n'],
  ])('%j', async (args, said) => {
    const { status, stdout, stderr } = await cli(args)
    expect(status).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain(said)
    expect(stderr).toMatch(/^payments-rx: .*\n$/)
  })

  it('takes an option before its variable, and a word that says the same again', async () => {
    const args = ['export', 'charges', '--api-key', 'k', '--quiet', '--quiet']
    const { stderr } = await cli(args, { env: { PAYMENTS_API_KEY: 'key' } })
    expect(stderr).toBe(
      'payments-rx: --base-url or PAYMENTS_BASE_URL is needed, --client-id or PAYMENTS_CLIENT_ID is needed (or --sandbox, to try it without an account)\n',
    )
  })

  it('names the variable that is wrong', async () => {
    const { status, stderr } = await cli(['export', 'charges'], {
      env: { PAYMENTS_ENVIRONMENT: 'moon' },
    })
    expect(status).toBe(2)
    expect(stderr).toContain('PAYMENTS_ENVIRONMENT should be one of production, sandbox')
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
    expect(status).toBe(1)
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
        PAYMENTS_API_KEY: 'SECRET123\n',
      },
    })
    expect([status, stderr]).toEqual([
      2,
      expect.stringMatching(
        /^payments-rx: --api-key or PAYMENTS_API_KEY should be a text that fits/,
      ),
    ])
    expect(stderr).not.toContain('SECRET')
  })

  it.each([
    [['export', 'charges', '--api-key=', 'SECRET123'], /It should not be empty\.\n$/],
    [['export', 'charges', 'SECRET123'], /too many arguments.* but got 1\n$/],
    [['verify', 'SECRET123', 'SECRET123'], /too many arguments.* but got 2\n$/],
    [['export', 'charges', '--api-kee=SECRET123'], /unknown option '--api-kee'\n$/],
    [['export', 'charges', '--SECRET123'], /unknown option\n$/],
    [['export', 'charges', '-SECRET123'], /unknown option\n$/],
    [['SECRET123'], /unknown command\n$/],
    [['export', "SECRET'\n123"], /unknown command\n$/],
    [['help', 'SECRET123'], /unknown command\n$/],
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

it.each([
  [['exprt'], "payments-rx: unknown command 'exprt' (Did you mean export?)\n"],
  [
    ['export', 'charges', '--otu', 'x'],
    "payments-rx: unknown option '--otu' (Did you mean --out?)\n",
  ],
])('suggests the nearest name: %j', async (args, said) => {
  expect(await cli(args)).toMatchObject({ status: 2, stderr: said })
})

it.each([
  [
    ['--status', 'SETTELD'],
    "payments-rx: option '--status <status>' is 'SETTELD' (did you mean SETTLED?). Allowed choices are NEW, PENDING, SETTLED, SUSPENDED, FAILED.\n",
  ],
  [
    ['--from', '2026-02-30'],
    "payments-rx: option '--from <time>' is invalid. It should be an ISO 8601 time, such as 2026-01-31T12:00:00Z, a date, today, yesterday, or a time before now such as 24h or 7d, and is '2026-02-30', which is no day of the calendar.\n",
  ],
])('shows a misspelt choice and a wrong date: %j', async (flags, said) => {
  expect(await cli(['export', 'charges', '--out', '-', ...flags])).toMatchObject({
    status: 2,
    stderr: said,
  })
})

describe('help', () => {
  it.each([
    [['--help']],
    [['help']],
    [['export', '--help']],
    [['export', 'charges', '--help']],
    [['help', 'export']],
    [['export', 'batch-items', '--help']],
    [['export', 'partner-webhooks', '--help']],
    [['verify', '--help']],
    [['follow', 'charges', '--help']],
    [['follow', 'batch-transfers', '--help']],
    [['sync', 'charges', '--help']],
    [['sandbox', '--help']],
  ])('%j is on stdout, with status 0', async (args) => {
    const { status, stdout, stderr } = await cli(args)
    expect(status).toBe(0)
    expect(stderr).toBe('')
    expect(stdout).toContain('Usage: payments-rx')
    const wide = stdout.split('\n').filter((line) => line.length > 80)
    expect(wide).toEqual([])
    // the default of a time has a unit
    expect(stdout.replace(/\s+/g, ' ')).not.toMatch(/<time> [^<]*?(?:\(default: |\[)[1-9]\d*[\])]/)
  })

  it.each([['sandbox'], ['trigger'], ['export']])(
    'of %s has options and commands within 60 columns',
    async (name) => {
      const { stdout } = await cli([name, '--help'], { columns: 60 })
      const [, rows = ''] = /\n(?:Options|Commands):\n(.*?)\n\n(?!Commands)/s.exec(stdout) ?? []
      expect(rows.split('\n').filter((line) => line.length > 60)).toEqual([])
    },
  )

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
      'PAYMENTS_BASE_URL',
      'PAYMENTS_CLIENT_ID',
      'PAYMENTS_API_KEY',
      'PAYMENTS_ENVIRONMENT',
    ]) {
      expect(text).toContain(said)
    }
    expect(text).toContain('other users of this machine can see command lines')
    expect(text).toContain('Exit status: 0 complete')
    for (const said of [
      '--resume',
      '--since-last',
      '--max-rejects',
      '130',
      '143',
      '141',
      'jq .id',
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
