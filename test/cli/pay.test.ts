/** `pay`: from a file to booked payments, against a sandbox with a port. */
import { readFile, stat, writeFile } from 'node:fs/promises'
import { concatMap, filter, firstValueFrom } from 'rxjs'
import { describe, expect, it } from 'vitest'
import {
  type AnyFailure,
  type Client,
  createClient,
  orThrow,
  PaymentsError,
} from '../../src/index.js'
import { createSandbox, sandboxCredentials } from '../../src/sandbox/index.js'
import { COLUMNS, changed, paying } from './paying.js'
import { cli, type RunOptions, rowsOf } from './support.js'

const { at, env, row, newRun, wages, csv, ...account } = await paying()

/** More than any test pays: `--yes` requires a limit. */
const BOUND = ['--max', 'USD=1000000']

/** A row whose currency is none. */
const inDollars = (n: number): string => row(n).replace('USD', 'dollars')

const pay = (args: ReadonlyArray<string>, options?: RunOptions) => {
  const bound = args.includes('--yes') && !args.includes('--max') ? BOUND : []
  return account.pay([...args, ...bound], options)
}

describe('payments-rx pay', () => {
  it('quotes, and submits nothing, unless it is told to pay', async () => {
    const run = newRun()
    const file = await csv('wages.csv', wages(3))
    const { status, stdout, stderr } = await pay([file, '--run', run])
    expect(status).toBe(0)
    expect(stdout).toContain(`${run}: 3 items in 1 batch\n`)
    expect(stdout).toMatch(/^USD {3}USD {3}304\.21 {8}303\.30 {2}0\.91$/m)
    expect(stdout).toMatch(/^quotes are valid until \d{4}-/m)
    const line = `npx payments-rx pay ${file} --run ${run} --yes --max USD=304.21\n`
    expect(stdout).toContain(`quoted, nothing submitted. To pay, run:\n${line}`)
    expect(stderr).toMatch(/^quoted: 3 payments in run-\d+, 0 booked/m)
  })

  it('shows the quote, and pays nothing, for a --yes without a bound', async () => {
    const run = newRun()
    const file = await csv('unbound.csv', wages(3))
    const args = ['pay', file, '--run', run, '--yes', '--no-limits']
    const { status, stdout, stderr } = await cli(args, { env })
    expect(status).toBe(2)
    expect(stdout).toMatch(/^USD {3}USD {3}304\.21 {8}303\.30 {2}0\.91$/m)
    expect(stdout).toContain(
      `To pay, run:\nnpx payments-rx pay ${file} --run ${run} --yes --max USD=304.21\n`,
    )
    expect(stderr).toMatch(
      /--yes requires a limit, such as --max in the line above: nothing was submitted$/m,
    )
    expect((await pay([...args.slice(1, -1), '--max', 'USD=304.21'])).status).toBe(0)
    expect((await cli(args, { env })).status).toBe(0) // nothing is left to approve
  })

  it('bounds what beneficiaries receive where the rows say what the payer pays', async () => {
    const header = COLUMNS.replace('transfer_amount', 'source_amount')
    const rows = [row(0), row(1), row(2)].map((one) => one.replace('USD,USD', 'USD,EUR'))
    const file = await csv('sources.csv', rows, header)
    const run = newRun()
    const { stdout } = await pay([file, '--run', run])
    const [, bounds = ''] = /--yes (--max USD=\S+ --at-least EUR=\S+)$/m.exec(stdout) ?? []
    expect(bounds).toBe('--max USD=304.21 --at-least EUR=279.03')
    const args = [file, '--run', run, '--yes', '--max', 'USD=304.21']
    const { status, stderr } = await pay([...args, '--at-least', 'EUR=279.04'])
    expect(stderr).toContain(
      '279.03 EUR would be received, below the limit of 279.04 (--at-least): nothing was submitted',
    )
    expect(status).toBe(2)
    expect((await pay([...args, '--at-least', 'EUR=279.03'])).status).toBe(0)
  })

  it('pays with --yes, and nothing twice', async () => {
    const run = newRun()
    const file = await csv('wages.csv', wages(3))
    const first = await pay([file, '--run', run, '--yes'])
    expect(first.status).toBe(0)
    expect(first.stderr).toContain(`complete: 3 of 3 payments in ${run} booked`)
    const second = await pay([file, '--run', run, '--yes'])
    expect(second.status).toBe(0)
    expect(second.stdout).not.toContain('you pay')
    expect(first.stderr).not.toContain('submitted earlier')
    expect(second.stderr).toContain('booked, all of them submitted earlier, ')
    const outcomes = await rowsOf(`${file}.${run}.outcomes.ndjson`)
    expect(outcomes).toHaveLength(3)
    expect(outcomes).toMatchObject([
      { request_id: `${run}-1`, batch: `${run}-1`, state: 'booked', reason: null },
      { request_id: `${run}-2` },
      { request_id: `${run}-3` },
    ])
    expect((await stat(`${file}.${run}.outcomes.ndjson`)).mode & 0o777).toBe(0o600)
  })

  it('says the line that pays the same, with its options, fit for a shell', async () => {
    const run = newRun()
    const file = await csv('the wages.csv', wages(2))
    const { clientId } = sandboxCredentials
    const connection = ['--plain-http', '--client-id', clientId, '--on-behalf-of', 'acct_9']
    const args = [...connection, '--name', 'Its pay', '--funding-source', 'la_1']
    const { stdout } = await pay([file, '--run', run, ...args, '--validity', 'HR_1'])
    expect(stdout).toContain(
      `npx payments-rx pay '${file}' --run ${run} --yes --max USD=201.80 --plain-http --client-id ${clientId} --on-behalf-of acct_9 --name 'Its pay' --funding-source la_1 --validity HR_1\n`,
    )
    expect((await pay([file, '--run', run, '--yes', ...args])).status).toBe(0)
  })

  it('tells invalid rows by their numbers, submits nothing, and keeps them in a file', async () => {
    const run = newRun()
    const file = await csv('wages.csv', [row(0), inDollars(1), row(2, 'Pay 2_invalid')])
    const first = await pay([file, '--run', run, '--yes'])
    expect(first.status).toBe(2)
    expect(first.stderr).toMatch(/1 item is invalid, nothing was sent: item 2: source_currency/)
    const lines = (await readFile(`${file}.${run}.rejected.csv`, 'utf8')).split('\n')
    expect(lines[0]).toBe(`${COLUMNS},not_paid_because`)
    expect(lines[1]).toMatch(/^wages_salary,Pay 1 of \d+,dollars,.*,"?source_currency should be/)
    expect((await stat(`${file}.${run}.rejected.csv`)).mode & 0o777).toBe(0o600)
  })

  it('pays the others with --without-invalid, and the rejected file, mended, under another name', async () => {
    const run = newRun()
    const file = await csv('wages.csv', [row(0), inDollars(1), row(2, 'Pay 2_invalid')])
    const { status, stderr } = await pay([file, '--run', run, '--yes', '--without-invalid'])
    expect(status).toBe(4)
    expect(stderr).toContain(`finished: 1 of 3 payments in ${run} booked, 2 left out`)
    const outcomes = await rowsOf(`${file}.${run}.outcomes.ndjson`)
    expect(outcomes).toHaveLength(3)
    expect(outcomes).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ request_id: `${run}-1`, state: 'booked' }),
        expect.objectContaining({ request_id: `${run}-2`, batch: null, state: 'left out' }),
        expect.objectContaining({ request_id: `${run}-3`, state: 'left out' }),
      ]),
    )
    expect(stderr).toContain('outcomes of 3 payments: ')
    const rejected = `${file}.${run}.rejected.csv`
    const text = await readFile(rejected, 'utf8')
    expect(text.split('\n')).toHaveLength(4)
    await writeFile(rejected, text.replace('dollars', 'USD').replace('_invalid', ''))
    const mended = await pay([rejected, '--run', newRun(), '--yes'])
    expect(mended.status).toBe(0)
  })

  it('reports the outcomes of invalid rows by their own request_id', async () => {
    const rows = [`wage-a,${row(0)}`, `wage-b,${inDollars(1)}`, `,${inDollars(1)}`]
    const file = await csv('named.csv', rows, `request_id,${COLUMNS}`)
    const run = newRun()
    await pay([file, '--run', run, '--yes', '--without-invalid'])
    expect(await rowsOf(`${file}.${run}.outcomes.ndjson`)).toMatchObject([
      { request_id: 'wage-a', state: 'booked' },
      { request_id: 'wage-b', state: 'left out' },
      { request_id: `${run}-3`, state: 'left out' },
    ])
  })

  it('refuses an invalid row that has the request_id of another', async () => {
    const rows = [`wage-a,${row(0)}`, `wage-a,${inDollars(1)}`]
    const file = await csv('twice.csv', rows, `request_id,${COLUMNS}`)
    const args = [file, '--run', newRun(), '--yes', '--without-invalid']
    const { status, stderr } = await pay(args)
    expect(status).toBe(2)
    expect(stderr).toContain('item 2: request_id is the same as in item 1')
  })

  it('reports rows that were not booked, and ends with status 4', async () => {
    const run = newRun()
    const file = await csv('wages.csv', [row(0), row(1, 'Pay 1_failed')])
    const { status, stderr } = await pay([file, '--run', run, '--yes'])
    expect(status).toBe(4)
    expect(stderr).toContain('1 of 2 payments')
    expect(await rowsOf(`${file}.${run}.outcomes.ndjson`)).toMatchObject([
      { state: 'booked' },
      { state: 'failed', reason: 'beneficiary: booking_failed' },
    ])
    expect(await readFile(`${file}.${run}.rejected.csv`, 'utf8')).toContain('Pay 1_failed')
  })

  it.each([
    ['USD=305', 0, ''],
    ['USD=304.21', 0, ''],
    [
      'USD=304.20',
      2,
      '304.21 USD would be paid, above the limit of 304.20 (--max): nothing was submitted',
    ],
    [`USD=304.${'0'.repeat(200)}`, 2, '304.21 USD would be paid, above the limit of 304.000'],
    [
      'EUR=5000',
      2,
      'USD would be paid, but max (--max) has no limit for it: nothing was submitted',
    ],
  ])('pays no more than --max %s', async (max, expected, why) => {
    const file = await csv('wages.csv', wages(3))
    const { status, stderr } = await pay([file, '--run', newRun(), '--yes', '--max', max])
    expect(status).toBe(expected)
    expect(stderr).toContain(why)
  })

  it('leaves the rejected rows of an earlier run when it does not come to its end', async () => {
    const run = newRun()
    const file = await csv('wages.csv', [row(0), row(1, 'Pay 1_failed')])
    await pay([file, '--run', run, '--yes'])
    const mended = 'mended by hand'
    await writeFile(`${file}.${run}.rejected.csv`, mended)
    const away = { ...env, PAYMENTS_API_KEY: 'another' }
    expect((await pay([file, '--run', run, '--yes'], { env: away })).status).toBe(4)
    expect(await readFile(`${file}.${run}.rejected.csv`, 'utf8')).toBe(mended)
  })

  it('deletes the drafts of a run with --discard', async () => {
    const run = newRun()
    await pay([await csv('wages.csv', wages(3)), '--run', run])
    const { status, stdout } = await pay(['--run', run, '--discard'])
    expect(status).toBe(0)
    expect(stdout).toContain(`\n${run}: 1 draft deleted\n`)
  })

  it('prints a template that can be paid', async () => {
    const { stdout } = await pay(['--template'])
    const [header = '', ...rows] = stdout.trimEnd().split('\n')
    const file = await csv('template.csv', rows, header)
    expect((await pay([file, '--run', newRun(), '--yes'])).status).toBe(0)
  })
})

describe('files of payments', () => {
  const quoted = async (args: ReadonlyArray<string>, options?: RunOptions) => {
    const { status, stdout, stderr } = await pay([...args, '--run', newRun()], options)
    expect(stderr + stdout).toContain('they receive')
    expect(status).toBe(0)
    return stdout
  }

  it('may be CSV of a spreadsheet: with a byte order mark, semicolons, CRLF and quotes', async () => {
    const text = `\uFEFF${COLUMNS.replaceAll(',', ';')}\r\nwages_salary;"Pay; ""now""";USD;USD;LOCAL;10.10;ben_1\r\n`
    await writeFile(at('sheet.csv'), text)
    expect(await quoted([at('sheet.csv')])).toContain('10.10')
  })

  it('may be NDJSON, whose amounts keep their digits', async () => {
    const item = (n: number, amount: string): string =>
      `{"reason":"wages_salary","reference":"Pay","request_id":"n-${n}","source_currency":"USD","transfer_currency":"USD","transfer_method":"LOCAL","transfer_amount":${amount},"beneficiary_id":"ben_1"}`
    await writeFile(at('wages.ndjson'), `${item(1, '0.10')}\n${item(2, '"0.20"')}`)
    expect(await quoted([at('wages.ndjson')])).toContain('0.30')
  })

  it('may come from stdin, which leaves no file behind', async () => {
    const stdin = [COLUMNS, ...wages(2)].join('\n')
    expect(await quoted(['-'], { stdin })).toContain('201.20')
  })

  it('may have columns for keys of metadata, also for a key with a dot', async () => {
    const run = newRun()
    const header = `${COLUMNS},metadata.cost.centre,metadata.team`
    const file = await csv('centres.csv', [`${row(0)},north,7`], header)
    await pay([file, '--run', run]) // without --yes it stays a draft
    const { batchTransfers } = createClient({
      baseUrl: env.PAYMENTS_BASE_URL,
      credentials: sandboxCredentials,
    })
    const toError = (failure: AnyFailure) => new PaymentsError(failure)
    const items = batchTransfers.list().pipe(
      orThrow(toError),
      filter(({ request_id }) => request_id.startsWith(run)),
      concatMap(({ id }) => batchTransfers.items({ id })),
      orThrow(toError),
    )
    const metadata = { 'cost.centre': 'north', team: '7' }
    expect(await firstValueFrom(items)).toMatchObject({ transfer_draft: { metadata } })
  })

  it('may have columns of other names, and values for all rows', async () => {
    const file = await csv('payroll.csv', ['Ada,10.10,ben_1,sales'], 'Name,Net,Id,Department')
    const map = {
      reference: 'Name',
      transfer_amount: 'Net',
      beneficiary_id: 'Id',
      'metadata.department': 'Department',
      reason: { value: 'wages_salary' },
      source_currency: { value: 'USD' },
      transfer_currency: { value: 'USD' },
      transfer_method: { value: 'LOCAL' },
    }
    await writeFile(at('map.json'), JSON.stringify(map))
    expect(await quoted([file, '--map', at('map.json')])).toContain('10.10')
  })

  const LATIN = Buffer.from(`${COLUMNS}\n${row(0, 'M\u00fcller')}`, 'latin1')
  const MISSPELT = /no field "transfer_amout" \(did you mean transfer_amount\?\)/

  it.each([
    ['an unknown column', 'x.csv', `${COLUMNS},transfer_amout\n${row(0)},1`, MISSPELT],
    ['a column twice', 'x.csv', `${COLUMNS},reason\n${row(0)},1`, /two columns are named "reason"/],
    ['a cell too many', 'x.csv', `${COLUMNS}\n${row(0)},1`, /has 8 cells, but there are 7 columns/],
    ['no rows at all', 'x.csv', '', /is empty/],
    ['another encoding', 'x.csv', LATIN, /is not UTF-8/],
    ['a quote that is not closed', 'x.csv', `${COLUMNS}\n"${row(0)}`, /cannot be read/],
    ['no JSON', 'x.ndjson', '{"reason"', /cannot be read/],
  ])('are refused with %s', async (_, name, content, message) => {
    await writeFile(at(name), content)
    const { status, stderr } = await pay([at(name), '--run', newRun(), '--yes'])
    expect(stderr).toMatch(message)
    expect(status).toBe(2)
  })

  it.each([
    [['--run', 'r'], /FILE is required/],
    [['x.csv'], /--run is required/],
    [['x.csv', '--run', 'a:b'], /up to 40 letters/],
    [['x.xlsx', '--run', 'r'], /save x\.xlsx as CSV first/],
    [['s3://b/x.csv', '--run', 'r'], /on this machine/],
    [['nowhere.csv', '--run', 'r'], /cannot read nowhere\.csv: file not found in /],
    [['x.csv', '--run', 'r', '--max', '100'], /amounts by currency/],
    [['x.csv', '--run', 'r', '--at-least', 'EUR'], /amounts by currency/],
    [['--run', 'r', '--discard', '--yes'], /cannot be used together/],
  ])('%j is a wrong use', async (args, message) => {
    const { status, stderr } = await pay(args)
    expect(stderr).toMatch(message)
    expect(status).toBe(2)
  })
})

describe('batches of which some cannot be submitted', () => {
  const rows = Array.from({ length: 1_200 }, (_, n) => row(n % 100, `Pay ${n}`))

  /** A sandbox that books nothing by itself, with the answers of some batches changed. */
  const meanwhile = (
    change: Parameters<typeof changed>[1],
    work: (env: Record<string, string>) => Promise<void>,
  ): Promise<void> =>
    changed(
      createSandbox({ charges: 0, limits: false, bookEvery: 0, fundAfter: 1 }),
      change,
      (url) => work({ ...env, PAYMENTS_BASE_URL: url }),
    )

  const SHORT = { code: 'insufficient_funds', message: 'The wallet is short.' }

  it('end with 4, since other batches are submitted', async () => {
    let submissions = 0
    await meanwhile(
      async (url, ask) =>
        url.endsWith('/submit') && ++submissions === 1 ? { status: 400, json: SHORT } : ask(),
      async (env) => {
        const file = await csv('some.csv', rows)
        const { status, stderr } = await pay([file, '--run', 'some', '--yes'], { env })
        expect(status).toBe(4)
        expect(stderr).toMatch(
          /insufficient_funds: The wallet is short\.; some-\d is BOOKED with \d+ items; once the cause is fixed, rerun the same command to continue$/m,
        )
      },
    )
  })

  it('are not paid without --without-invalid, and the last line says why', async () => {
    let submissions = 0
    await meanwhile(
      async (url, ask) =>
        url.endsWith('/submit') && ++submissions === 2 ? { status: 400, json: SHORT } : ask(),
      async (env) => {
        const invalid = (n: number): string => row(1, `Pay ${n}_invalid`)
        const file = await csv('left.csv', [invalid(1), ...rows.slice(2), invalid(1_200)])
        const args = [file, '--run', 'left', '--yes']
        await pay([...args, '--without-invalid'], { env })
        const { status, stderr } = await pay(args, { env })
        expect(status).toBe(4)
        expect(stderr).toMatch(
          /1 item is invalid: item left-\d+: .*_argument; left-\d is BOOKED with \d+ items$/m,
        )
      },
    )
  })

  it('are held to --max with one that another process has submitted meanwhile', async () => {
    let other: Client | undefined
    await meanwhile(
      async (url, ask) => {
        const [, id] = /\/([^/]+)\/quote$/.exec(url) ?? []
        const answer = await ask()
        if (id === undefined || other === undefined) return answer
        const { batchTransfers } = other
        other = undefined
        await firstValueFrom(batchTransfers.submit({ id }))
        return { status: 400, json: { code: 'invalid_argument', message: 'It is submitted.' } }
      },
      async (env) => {
        const baseUrl = env.PAYMENTS_BASE_URL ?? ''
        other = createClient({ baseUrl, credentials: sandboxCredentials })
        const file = await csv('meanwhile.csv', rows)
        const args = [file, '--run', 'meanwhile', '--yes', '--max', 'USD=180000']
        const { status, stderr } = await pay(args, { env })
        expect(stderr).toMatch(
          /180058\.80 USD would be paid, above the limit of 180000 \(--max\): nothing more was submitted$/m,
        )
        expect(status).toBe(4)
      },
    )
  })

  it('are not known while a list of items does not show how one ended', async () => {
    let isSubmitted = false
    await meanwhile(
      async (url, ask) => {
        const answer = await ask()
        isSubmitted ||= url.endsWith('/submit')
        const { items } = answer.json
        const isHidden = isSubmitted && items !== undefined && /\/items\b/.test(url)
        return isHidden ? { ...answer, json: { ...answer.json, items: items.slice(1) } } : answer
      },
      async (env) => {
        const file = await csv('hidden.csv', rows.slice(0, 3))
        const { status, stderr } = await pay([file, '--run', 'hidden', '--yes'], { env })
        expect(stderr).toMatch(/incomplete: 2 of 3 payments in hidden booked, 1 unknown/)
        expect(stderr).toMatch(
          /of 1 payment is not available yet; rerun the same command later to check again$/m,
        )
        expect(status).toBe(4)
      },
    )
  })

  it('are held to --max with what is submitted, when their quotes were made anew', async () => {
    let quotes = 0
    await meanwhile(
      async (url, ask) => {
        const answer = await ask()
        const { request_id, quote_summary: summary } = answer.json
        if (request_id !== 'above-2' || !summary) return answer
        if (url.endsWith('/quote')) quotes++
        if (quotes === 1) summary.expires_at = summary.last_quoted_at
        else for (const quote of summary.quotes) quote.amount_payer_pays *= 1.04
        return answer
      },
      async (env) => {
        const file = await csv('above.csv', rows)
        for (const _run of ['first', 'again']) {
          const args = [file, '--run', 'above', '--yes', '--max', 'USD=180250']
          const { status, stderr } = await pay(args, { env })
          expect(stderr).toMatch(/above the limit of 180250 \(--max\): nothing more was/)
          expect(status).toBe(4)
        }
      },
    )
  })
})
