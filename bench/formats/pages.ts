/** Pages of charges as received: JSON text, which is parsed and decoded each time. */
import { createHash } from 'node:crypto'
import { Charge } from 'payments-rx'
import { compile } from 'payments-rx/decode'

const decode = compile(Charge)
const PAGE = 2_000
const TEXTS = 25

const hex = (n: number, what: string): string =>
  createHash('md5').update(`${what}${n}`).digest('hex')

const charge = (n: number): object => ({
  id: hex(n, 'id'),
  amount: Number.parseInt(hex(n, 'amount').slice(0, 6), 16) / 100,
  currency: ['EUR', 'USD', 'GBP', 'AUD'][n % 4],
  reason: 'goods_purchased',
  reference: `Invoice ${n}`,
  request_id: hex(n, 'request'),
  source: `acct_${hex(n % 500, 'account').slice(0, 16)}`,
  fee: (n % 300) / 100,
  short_reference_id: hex(n, 'short').slice(0, 10).toUpperCase(),
  status: n % 50 === 0 ? 'PENDING' : 'SETTLED',
  created_at: time(n),
  updated_at: time(n + 40),
})

const time = (n: number): string =>
  `${new Date(1_767_225_600_000 + n * 25).toISOString().slice(0, 19)}+0000`

const texts = Array.from({ length: TEXTS }, (_, at) =>
  JSON.stringify(Array.from({ length: PAGE }, (_, n) => charge(at * PAGE + n))),
)

/** Returns as many pages as are needed for `rows`. */
export function* pages(rows: number): Generator<ReadonlyArray<Charge>> {
  for (let page = 0; page * PAGE < rows; page++) {
    const read: unknown = JSON.parse(texts[page % TEXTS] ?? '[]')
    if (!Array.isArray(read)) throw new Error('no page')
    yield read.flatMap((row) => {
      const decoded = decode(row)
      return decoded._tag === 'Right' ? [decoded.right] : []
    })
  }
}
