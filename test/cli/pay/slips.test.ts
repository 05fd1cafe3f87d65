/** Slips that `pay` shows before the yes: whose account it is, payments that repeat others, and mistyped IBANs. */
import { writeFile } from 'node:fs/promises'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import {
  createSandbox,
  type Listening,
  listen,
  sandboxCredentials,
} from '../../../src/sandbox/index.js'
import { expectNoSecret } from '../../support/secrets.js'
import { cli, folder } from '../support.js'

const at = await folder()

let server: Listening | undefined
let env: Record<string, string> = {}
let requests: () => number = () => 0

/** An account of its own for each test. */
beforeEach(async () => {
  await server?.close()
  const sandbox = createSandbox({ charges: 0, limits: false, bookEvery: 1, fundAfter: 1 })
  requests = () => sandbox.stats().requests
  server = await listen(sandbox)
  env = {
    PAYMENTS_BASE_URL: server.url,
    PAYMENTS_CLIENT_ID: sandboxCredentials.clientId,
    PAYMENTS_API_KEY: sandboxCredentials.apiKey,
  }
})
afterAll(() => server?.close())

const PAYS = ['--yes', '--max', 'USD=1000000'] as const

const pay = async (run: string, rows: ReadonlyArray<Row>, ...args: ReadonlyArray<string>) => {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const lines = rows.map((row) => columns.map((name) => row[name] ?? '').join(','))
  await writeFile(at('pay.csv'), [columns.join(','), ...lines].join('\n'))
  return cli(['pay', at('pay.csv'), '--run', run, '--no-limits', ...args], { env })
}

type Row = Readonly<Record<string, string>>

const payment = (n: number, more: Row = {}): Row => ({
  reason: 'wages_salary',
  reference: 'Wages',
  source_currency: 'USD',
  transfer_currency: 'USD',
  transfer_method: 'LOCAL',
  transfer_amount: `${100 + n}.50`,
  beneficiary_id: `ben_${n}`,
  ...more,
})

const payroll = (count: number, more: (n: number) => Row = () => ({})): ReadonlyArray<Row> =>
  Array.from({ length: count }, (_, n) => payment(n, more(n)))

const withIban = (n: number, iban: string): Row => {
  const { beneficiary_id: _, ...rest } = payment(n)
  return {
    ...rest,
    'beneficiary.entity_type': 'PERSONAL',
    'beneficiary.bank_details.account_name': 'Ada Example',
    'beneficiary.bank_details.account_currency': 'EUR',
    'beneficiary.bank_details.bank_country_code': 'DE',
    'beneficiary.bank_details.iban': iban,
  }
}

describe('the account', () => {
  it.each([
    ['pay', ['pay', 'nowhere.csv', '--run', 'r']],
    ['pay --discard', ['pay', '--run', 'r', '--discard']],
    ['doctor', ['doctor']],
    ['a write by call', ['call', 'batchTransfers.create', 'request_id=r', '--yes']],
  ])('is the first line of %s, without the key', async (_, args) => {
    const clientId = 'client-id-0123456789abx7f2'
    const options = { env: { ...env, PAYMENTS_CLIENT_ID: clientId } }
    const runs = [
      [[], `${env.PAYMENTS_BASE_URL}, production, client id ...x7f2, the platform's own account`],
      [
        ['--environment', 'test', '--login-as', 'acct_1'],
        `${env.PAYMENTS_BASE_URL}, test, client id ...x7f2, account acct_1`,
      ],
      [
        ['--login-as', 'acct_1', '--on-behalf-of', 'acct_9'],
        `${env.PAYMENTS_BASE_URL}, production, client id ...x7f2, account acct_9`,
      ],
    ] as const
    for (const [flags, line] of runs) {
      const { stdout, stderr } = await cli([...args, ...flags], options)
      const said = args[0] === 'call' ? stderr : stdout
      expect(said.split('\n')[0]).toBe(line)
      expect(stdout + stderr).not.toContain(clientId.slice(0, -4))
      expectNoSecret(stdout + stderr)
      expect(stdout + stderr).not.toContain(sandboxCredentials.apiKey)
    }
  })

  it('is not said by reads, nor in what call prints', async () => {
    const read = await cli(['call', 'batchTransfers.list'], { env })
    expect(read.stderr).not.toContain('client id')
    const write = await cli(['call', 'batchTransfers.create', 'request_id=r', '--yes'], { env })
    expect(JSON.parse(write.stdout)).toMatchObject({ request_id: 'r' })
  })
})

describe('rows alike in a file', () => {
  const again = [payment(1, { transfer_amount: '101.5' }), payment(1, { reference: 'Bonus' })]
  const twice = [...payroll(3), ...again]

  it('are listed with both places, and refused unless --repeats is their number', async () => {
    for (const args of [[], ['--repeats', '2'], PAYS]) {
      const { status, stdout, stderr } = await pay('wages', twice, ...args)
      expect(status).toBe(2)
      expect(stdout).toContain(
        'row 4 has the same account, currencies, amount and reference as row 2',
      )
      expect(stdout).not.toMatch(/row 5|you pay/)
      expect(stderr).toMatch(/nothing was sent; if this is intended, add --repeats 1$/m)
    }
    const quoted = await pay('wages', twice, '--repeats', '1')
    expect(quoted.status).toBe(0)
    expect(quoted.stdout).toMatch(/payments-rx pay .* --repeats 1/)
    expect((await pay('wages', twice, '--repeats', '1', ...PAYS)).status).toBe(0)
  })

  it('are not asked about again once the run was submitted', async () => {
    expect((await pay('wages', twice, '--repeats', '1', ...PAYS)).status).toBe(0)
    expect((await pay('wages', twice, ...PAYS)).status).toBe(0)
  })

  it('are found by the account, however it is written', async () => {
    const iban = 'DE89370400440532013000'
    const spaced = iban.replace(/(.{4})/g, '$1 ').toLowerCase()
    const rows = [withIban(1, iban), withIban(1, spaced), withIban(1, 'NL91ABNA0417164300')]
    const { status, stdout } = await pay('wages', rows)
    expect([status, stdout.match(/reference as row/g)]).toEqual([2, ['reference as row']])
  })

  it('--repeats without any is refused', async () => {
    const { status, stderr } = await pay('wages', payroll(2), '--repeats', '2')
    expect(status).toBe(2)
    expect(stderr).toContain('no payment repeats another: leave out --repeats')
  })
})

describe('payments of another run', () => {
  const months = ['2099-01', '2099-02', '2099-03'] as const
  const waits = [...PAYS, '--wait', '1s']

  it.each([
    ['a reference', (month: string) => () => ({ reference: `Wages ${month}` }), () => []],
    ['request_ids', (month: string) => (n: number) => ({ request_id: `${month}-${n}` }), () => []],
    [
      'an amount of one',
      (month: string) => (n: number) =>
        n === 0 ? { transfer_amount: month.replace('-', '') } : {},
      () => [],
    ],
    ['a transfer date', () => () => ({}), (month: string) => ['--transfer-date', `${month}-27`]],
  ])('an honest payroll each month, which differs by %s, is paid', async (_, more, args) => {
    for (const month of months) {
      const paid = await pay(`wages-${month}`, payroll(4, more(month)), ...args(month), ...waits)
      expect(paid.stderr).not.toContain('repeat')
      expect([0, 1]).toContain(paid.status) // 1: scheduled for a later day
    }
  })

  it('all of them, in any order and spelling, are refused unless --repeats is their number', async () => {
    const rows = payroll(4)
    expect((await pay('wages-1', rows, ...PAYS)).status).toBe(0)
    const [first = {}, ...others] = rows.toReversed()
    const sorted = [{ ...first, transfer_amount: '103.5' }, ...others]
    const { status, stdout, stderr } = await pay('wages-1b', sorted, ...PAYS)
    expect(status).toBe(2)
    expect(stdout).toMatch(
      /^all 4 payments are the same as in run wages-1 \(BOOKED for \d{4}-\d\d-\d\d\)$/m,
    )
    expect(stdout).toMatch(/^checked 1 other batch for repeats, and the items in 0 of them$/m)
    expect(stderr).toContain(
      '4 payments repeat others: nothing was sent; if this is intended, add --repeats 4',
    )
    const discarded = await cli(['pay', '--run', 'wages-1b', '--discard'], { env })
    expect(discarded.stdout).toContain('0 drafts deleted')
    expect((await pay('wages-1b', sorted, ...PAYS, '--repeats', '4')).status).toBe(0)
    // the runs that were submitted go on
    expect((await pay('wages-1', rows, ...PAYS)).status).toBe(0)
    expect((await pay('wages-1b', sorted, ...PAYS)).status).toBe(0)
  })

  it('are known by their request_ids, but for those that were not paid', async () => {
    const ids = (n: number): Row => ({ request_id: `id-${n}` })
    const failing = payroll(3, (n) => (n === 2 ? { ...ids(n), reference: 'x_failed' } : ids(n)))
    expect((await pay('wages', failing, ...PAYS)).status).toBe(4)
    const corrected = payment(1, { ...ids(1), reference: 'Corrected' })
    const mended = [corrected, payment(2, ids(2)), payment(9, ids(9))]
    const { status, stdout, stderr } = await pay('rest', mended)
    expect(status).toBe(2)
    expect(stdout).toContain(
      'row 1 has the same request_id as an item in wages-1 (PARTIALLY_BOOKED)\n',
    )
    expect(stdout).not.toMatch(/row [23]/)
    expect(stderr).toContain('1 payment repeats another')
    expect((await pay('rest', mended.slice(1), ...PAYS)).status).toBe(0)
  })

  it('that are alike only in content, in drafts, are a warning', async () => {
    expect((await pay('first', payroll(3))).status).toBe(0)
    const { status, stdout } = await pay('second', [payment(1), payment(7)])
    expect(status).toBe(0)
    expect(stdout).toContain('warning: row 1 matches an item in first-1 (DRAFTING)\n')
    expect(stdout).not.toContain('row 2')
  })

  it('are looked for in 20 requests, and the last line says that there are more', async () => {
    for (let n = 0; n < 25; n++) {
      const rows = [payment(n, { request_id: `other-${n}` })]
      expect((await pay(`other-${n}`, rows)).status).toBe(0)
    }
    const before = requests()
    const alike = [payment(99, { request_id: 'mine' }), payment(99, { request_id: 'mine-2' })]
    const { stdout } = await pay('wages', alike)
    expect(requests() - before).toBe(20 + 1) // with the login
    expect(stdout).toMatch(
      /^checked 25 other batches for repeats, and the items in 18 of them; the rest was not checked$/m,
    )
  })
})

describe('warnings', () => {
  it('name the rows with IBANs whose check digits are wrong', async () => {
    const ibans = [
      ...['DE89370400440532013000', 'DE89370400440532013001', 'FR14 2004 1010 0505 0001 3M02 606'],
      'GB82WEST1234569876543',
    ]
    const rows = ibans.map((iban, n) => withIban(n, iban))
    const { status, stdout } = await pay('wages', rows)
    expect(status).toBe(0)
    expect(stdout).toContain('warning: wrong IBAN check digits in rows 2, 4\n')
    expect(stdout.indexOf('warning')).toBeLessThan(stdout.indexOf('you pay'))
  })

  it('say how amounts with three decimals are read', async () => {
    const dinars = { source_currency: 'KWD', transfer_currency: 'KWD', transfer_amount: '1.250' }
    const { stdout } = await pay('wages', [payment(0), payment(1, dinars)])
    expect(stdout).toContain(
      'the dot was read as a decimal point, not as a thousands separator: 1.250 KWD (row 2)\n',
    )
  })
})
