/** A platform whose quotes move, expire, are odd or missing, with a ledger that counts them in its own way. */
import type { Service } from './account.js'

// amounts, apart from the code under test

const SCALE = 1_500

/** An amount as a whole number of 10^-1500; `undefined` if a gate cannot count it. */
const exact = (text: string): bigint | undefined => {
  if (text.length > 1_000) return undefined
  const [mantissa = '', power = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return BigInt(`${whole}${fraction}`) * 10n ** BigInt(SCALE - fraction.length + Number(power))
}

// quotes

/** A quote as the platform writes it: amounts are the text of JSON numbers. */
export interface WrittenQuote {
  readonly source_currency: string
  readonly transfer_currency: string
  readonly fee_currency: string
  readonly client_rate: number | null
  readonly currency_pair: string | null
  readonly amount_payer_pays: string
  readonly amount_beneficiary_receives: string
  readonly fee_amount: string
}

export interface LedgerQuote {
  /** Without a summary: `undefined`. */
  readonly quotes: ReadonlyArray<WrittenQuote> | undefined
  /** The pairs of its items. */
  readonly pairs: ReadonlyArray<string>
  readonly expires: number
  readonly validity: string
  /** Otherwise the platform does not say when it was made. */
  readonly hasTimes: boolean
}

type Amounts = Pick<
  WrittenQuote,
  'amount_payer_pays' | 'amount_beneficiary_receives' | 'fee_amount'
>

interface SandboxQuote extends Omit<WrittenQuote, keyof Amounts> {
  readonly amount_payer_pays: number
  readonly amount_beneficiary_receives: number
  readonly fee_amount: number
}

interface SandboxBatch {
  readonly id: string
  readonly quote_summary?: {
    readonly expires_at: string
    readonly validity: string
    readonly quotes: ReadonlyArray<SandboxQuote>
  } | null
}

export const pairOf = (one: Pick<WrittenQuote, 'source_currency' | 'transfer_currency'>): string =>
  `${one.source_currency}-${one.transfer_currency}`

// sums

/** Totals of both sides: `pays USD-EUR USD`, `gets USD-EUR`. */
export type Sums = ReadonlyMap<string, bigint>

/** Adds ledger quotes up; `undefined` if one cannot be counted. */
export const sumsOf = (some: ReadonlyArray<LedgerQuote | undefined>): Sums | undefined => {
  const sums = new Map<string, bigint>()
  const add = (key: string, amount: bigint) => sums.set(key, (sums.get(key) ?? 0n) + amount)
  for (const one of some) {
    if (one?.quotes === undefined) return undefined
    const quoted = one.quotes.map(pairOf)
    if (one.pairs.some((pair) => !quoted.includes(pair))) return undefined
    for (const quote of one.quotes) {
      const pays = exact(quote.amount_payer_pays)
      const gets = exact(quote.amount_beneficiary_receives)
      const fee = exact(quote.fee_amount)
      if (pays === undefined || gets === undefined || fee === undefined) return undefined
      if (pays < 0n || gets < 0n) return undefined
      add(`pays ${pairOf(quote)} ${quote.source_currency}`, pays)
      if (quote.fee_currency !== quote.source_currency && fee > 0n) {
        add(`pays ${pairOf(quote)} ${quote.fee_currency}`, fee)
      }
      add(`gets ${pairOf(quote)}`, gets)
    }
  }
  return sums
}

/** Returns the totals of all pairs together: `pays USD`, `gets EUR`. */
export const byCurrency = (sums: Sums): Sums => {
  const all = new Map<string, bigint>()
  for (const [key, amount] of sums) {
    const [side, pair = '', currency = pair.slice(4)] = key.split(' ')
    all.set(`${side} ${currency}`, (all.get(`${side} ${currency}`) ?? 0n) + amount)
  }
  return all
}

/** Returns whether all that is paid was shown. */
export const paysWithin = (now: Sums, shown: Sums): boolean =>
  [...now].every(([key, sum]) => !key.startsWith('pays') || sum <= (shown.get(key) ?? -1n))

export const getsWithin = (now: Sums, shown: Sums): boolean =>
  [...shown].every(([key, sum]) => !key.startsWith('gets') || (now.get(key) ?? 0n) >= sum)

// the platform

export interface Platform {
  readonly fetch: (fetch: Service) => Service
  /** The present quotes, by the id of the batch. */
  readonly quotes: ReadonlyMap<string, LedgerQuote>
  /** Quotes under which batches were submitted. */
  readonly charged: ReadonlyMap<string, LedgerQuote | undefined>
  /** Quotes that were made anew although one held. */
  readonly thrownAway: ReadonlyArray<string>
}

const WRITE = /\/batch_transfers\/([^/]+)\/(quote|submit)$/

/** `change` writes a quote anew; `onCharge` is called once a batch is submitted. */
export const platform = (
  now: () => number,
  change: (quotes: ReadonlyArray<WrittenQuote>) => Partial<LedgerQuote>,
  onCharge: (platform: Platform, id: string) => void,
): Platform => {
  const quotes = new Map<string, LedgerQuote>()
  const charged = new Map<string, LedgerQuote | undefined>()
  const thrownAway: Array<string> = []
  const self: Platform = { quotes, charged, thrownAway, fetch: around }

  const noteQuote = (url: string, body: unknown): void => {
    const [, id = '', call] = WRITE.exec(url) ?? []
    const held = quotes.get(id)
    if (call !== 'quote' || held === undefined) return
    const { validity = held.validity } = JSON.parse(String(body)) as { readonly validity?: string }
    const isHeld = held.hasTimes && held.expires > now() + 2_000 // the clock shows seconds
    if (isHeld && validity === held.validity && sumsOf([held]) !== undefined) thrownAway.push(id)
  }

  const seen = (batch: SandboxBatch, isQuoted: boolean): void => {
    const { id, quote_summary: summary } = batch
    if (charged.has(id)) return
    if (summary === undefined || summary === null) return void quotes.delete(id)
    if (!isQuoted && quotes.has(id)) return
    const written = summary.quotes.map((quote) => ({
      ...quote,
      amount_payer_pays: String(quote.amount_payer_pays),
      amount_beneficiary_receives: String(quote.amount_beneficiary_receives),
      fee_amount: String(quote.fee_amount),
    }))
    quotes.set(id, {
      quotes: written,
      pairs: written.map(pairOf),
      expires: Date.parse(summary.expires_at.replace('+0000', 'Z')),
      validity: summary.validity,
      hasTimes: true,
      ...change(written),
    })
  }

  /** The batch as the platform shows it; amounts are put in as text by `written`. */
  const shown = (batch: SandboxBatch): unknown => {
    const one = quotes.get(batch.id)
    if (one === undefined || !batch.quote_summary) return batch
    if (one.quotes === undefined) return { ...batch, quote_summary: null }
    const times = one.hasTimes ? {} : { last_quoted_at: null }
    const raw = one.quotes.map((quote) => ({
      ...quote,
      amount_payer_pays: `#${quote.amount_payer_pays}#`,
      amount_beneficiary_receives: `#${quote.amount_beneficiary_receives}#`,
      fee_amount: `#${quote.fee_amount}#`,
    }))
    return { ...batch, quote_summary: { ...batch.quote_summary, ...times, quotes: raw } }
  }
  const written = (value: unknown): string => JSON.stringify(value).replace(/"#([^#"]+)#"/g, '$1')

  function around(fetch: Service): Service {
    return async (input, init) => {
      const url = String(input)
      noteQuote(url, init?.body)
      const response = await fetch(input, init)
      if (!/batch_transfers/.test(url) || /\/items/.test(url) || !response.ok) return response
      const body = (await response.json()) as SandboxBatch & {
        readonly items?: ReadonlyArray<SandboxBatch>
      }
      const [, id = '', call] = WRITE.exec(url) ?? []
      const { status, headers } = response
      for (const batch of body.items ?? [body]) seen(batch, call === 'quote')
      if (call === 'submit') {
        charged.set(id, quotes.get(id))
        onCharge(self, id)
      }
      const answer =
        body.items === undefined ? shown(body) : { ...body, items: body.items.map(shown) }
      return new Response(written(answer), { status, headers: new Headers(headers) })
    }
  }
  return self
}
