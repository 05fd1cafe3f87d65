/** Payments that are probably unintended. They are shown before approval; repeated payments are refused. */
import {
  concatMap,
  defer,
  from,
  lastValueFrom,
  map,
  mergeMap,
  of,
  take,
  takeUntil,
  toArray,
} from 'rxjs'
import type { Client } from '../../client/createClient.js'
import { isDraft } from '../../client/pay/fillBatch.js'
import { amountValue } from '../../client/pay/hashes.js'
import { requestIdOf, WIDTH } from '../../client/pay/PayContext.js'
import { planOf } from '../../client/pay/plan.js'
import { RequestIds } from '../../client/pay/RequestIds.js'
import type { BatchItem } from '../../codec/BatchItem.js'
import type { BatchTransfer } from '../../codec/BatchTransfer.js'
import { millisOf } from '../../codec/Instant.js'
import { AMOUNTS, ITEMS_PER_BATCH } from '../../codec/NewBatchItem.js'
import { digitsOf } from '../../decode/index.js'
import { fieldsOf } from '../../decode/unknown.js'
import { A, E, O } from '../../fp.js'
import type { Failure } from '../../http/Failure.js'
import { number, plural } from '../../report/text.js'
import type { ObservableEither } from '../../stream/either/ObservableEither.js'
import { failureEnding, stoppedBy } from '../endings.js'
import { EXIT_USAGE, UsageError } from '../output.js'
import type { CommandRun, Ending } from '../runCommand.js'
import { UNSEEN } from './ending.js'
import { idOfRow, type PayFileOptions, rowsOf } from './payFile.js'
import { hasWrongIban, readAsDecimals } from './rowRules.js'

interface SlipOptions {
  readonly withoutInvalid: boolean
  /** The run's transfer date, `YYYY-MM-DD`. */
  readonly transferDate?: string
  /** Number of intended repeats, from `--repeats`. */
  readonly repeats?: number
}

/** Findings to show before approval. */
interface Slips {
  readonly lines: ReadonlyArray<string>
  /** The reason why nothing is sent. */
  readonly refusal?: string
}

/** Batches of other runs, and the items of some of them. */
interface Looked {
  readonly batches: ReadonlyArray<BatchTransfer>
  /** Batches whose items were read, together with the items. */
  readonly listed: ReadonlyArray<readonly [BatchTransfer, ReadonlyArray<BatchItem>]>
  /** True if these are all batches of other runs. */
  readonly isWhole: boolean
}

/** Maximum number of requests for finding repeated payments. */
const MOST_REQUESTS = 20

/** Maximum number of these requests that list batches. The others list items. */
const MOST_PAGES = 9

/** Maximum number of lines of one kind, and of rows that a line names. */
const MOST_LINES = 10

const NO_SLIPS: Slips = { lines: [] }

/** Statuses of batches whose payments were not made. */
const UNPAID: ReadonlyArray<string> = [
  'FAILED',
  'CANCELLED',
  'APPROVAL_RECALLED',
  'APPROVAL_REJECTED',
  'APPROVAL_BLOCKED',
  'VALIDATION_FAILED',
  'BOOKING_FAILED',
]

const BOOKED: ReadonlyArray<string> = ['BOOKED', 'PARTIALLY_BOOKED']

// finding

/** Prints findings before approval. Resolves with the end of the command if nothing may be sent. */
export const showSlips = async (
  { output, options: { stop }, stopped }: CommandRun,
  client: Client,
  file: PayFileOptions,
  options: SlipOptions,
): Promise<Ending | undefined> => {
  const slips = await lastValueFrom(slipsOf(client, file, options).pipe(takeUntil(stop)), {
    defaultValue: undefined,
  })
  const summary = `held back: ${file.run}`
  if (slips === undefined) {
    const signal = stopped()
    return signal && { ...stoppedBy(signal), summary }
  }
  if (E.isLeft(slips)) {
    const { status, reason } = failureEnding(slips.left, UNSEEN)
    return { status, summary, reason: `cannot check for repeats: ${reason}` }
  }
  const { lines, refusal } = slips.right
  for (const line of lines) output.print(line)
  return refusal === undefined ? undefined : { status: EXIT_USAGE, summary, reason: refusal }
}

/**
 * Reads the file and the batches of other runs. Leaves errors in the file to the run. Does the same for a run that was already
 * submitted, because its payments were approved.
 */
const slipsOf = (
  client: Client,
  file: PayFileOptions,
  options: SlipOptions,
): ObservableEither<Failure, Slips> =>
  defer(() => read(file)).pipe(
    concatMap((seen): ObservableEither<Failure, Slips> => {
      const isLeft = seen === undefined || seen.items === 0
      if (isLeft || seen.isRepeated || (seen.isInvalid && !options.withoutInvalid))
        return of(E.right(NO_SLIPS))
      return lookUp(client, file.run, seen).pipe(
        concatMap((looked) =>
          E.isLeft(looked)
            ? of(looked)
            : from(compared(file, seen, looked.right, options)).pipe(map(E.right)),
        ),
      )
    }),
  )

type PayFileFacts = Exclude<Awaited<ReturnType<typeof read>>, undefined>

/** Reads the file once. Resolves with `undefined` if it is unreadable. */
const read = async (file: PayFileOptions) => {
  const contents = new RequestIds()
  const maybeAlike = new Set<string>()
  const wrongIbans: Array<number> = []
  const decimals: Array<readonly [amount: string, place: number]> = []
  let hasOwnIds = false
  let place = 0
  const noting = async function* () {
    place = 0
    for await (const { item } of rowsOf(file)) {
      yield item
      place++
      if (E.isLeft(item)) continue
      const [content] = contentsOf(item.right)
      if (content !== undefined && contents.add(content)) maybeAlike.add(content)
      if (item.right.request_id !== idOfRow(file.run, place)) hasOwnIds = true
      if (hasWrongIban(item.right)) wrongIbans.push(place)
      const amount = readAsDecimals(item.right)
      if (amount !== undefined) decimals.push([amount, place])
    }
  }
  const options = { run: file.run, perBatch: ITEMS_PER_BATCH, check: true }
  const plan = await planOf(noting, options).catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error
  })
  if (plan === undefined) return undefined
  const [first] = decimals
  const notes = [
    ...(first === undefined
      ? []
      : [
          `the dot was read as a decimal point, not as a thousands separator: ${first[0]} (${rowList(decimals.map(([, at]) => at))})`,
        ]),
    ...(wrongIbans.length === 0
      ? []
      : [`warning: wrong IBAN check digits in ${rowList(wrongIbans)}`]),
  ]
  const { items, set, invalid, isRepeated } = plan
  return { items, set, isRepeated, isInvalid: invalid.length > 0, hasOwnIds, maybeAlike, notes }
}

/** Looks up the run itself and other runs. If the run was submitted, emits nothing to compare with. */
const lookUp = (
  { batchTransfers }: Client,
  run: string,
  { set, hasOwnIds }: PayFileFacts,
): ObservableEither<Failure, Looked | undefined> =>
  batchTransfers.list({ request_id: requestIdOf({ run, index: 1 }) }).pages.pipe(
    take(1),
    concatMap((own): ObservableEither<Failure, Looked | undefined> => {
      if (E.isLeft(own)) return of(E.right(undefined)) // the run will fail in the same way, and then reads the batches
      const found = A.rights([...own.right.items]).filter((batch) => runOf(batch) === run)
      if (found.some((batch) => !isDraft(batch))) return of(E.right(undefined))
      return batchTransfers.list().pages.pipe(
        take(MOST_PAGES),
        toArray(),
        map(A.sequence(E.Applicative)),
        concatMap((pages): ObservableEither<Failure, Looked> => {
          if (E.isLeft(pages)) return of(pages)
          const last = pages.right.at(-1)
          const isLast = last === undefined || O.isNone(last.next)
          const batches = pages.right
            .flatMap(({ items }) => A.rights([...items]))
            .filter((batch) => runOf(batch) !== run && !UNPAID.includes(batch.status))
            .sort((a, b) => millisOf(b.updated_at) - millisOf(a.updated_at))
          const mayTell = batches.filter(
            (batch) => !isOfSet(batch, set) && (hasOwnIds || !BOOKED.includes(batch.status)),
          )
          const most = MOST_REQUESTS - 1 - pages.right.length
          return from(mayTell.slice(0, most)).pipe(
            mergeMap(
              (batch) =>
                batchTransfers.items({ id: batch.id, page_size: ITEMS_PER_BATCH }).pages.pipe(
                  take(1),
                  // a batch that was deleted in the meantime has none
                  map(
                    (page) =>
                      [batch, E.isLeft(page) ? [] : A.rights([...page.right.items])] as const,
                  ),
                ),
              WIDTH,
            ),
            toArray(),
            map((listed) =>
              E.right({ batches, listed, isWhole: isLast && mayTell.length <= most }),
            ),
          )
        }),
      )
    }),
  )

/** Returns the name of a batch's run: `wages-1` for `wages-1-12`. */
const runOf = ({ request_id }: BatchTransfer): string => request_id.replace(/-\d+$/, '')

const isOfSet = ({ metadata }: BatchTransfer, set: string): boolean =>
  fieldsOf(metadata).set === set

// comparing

/** Reports rows that repeat others in the file or in other runs. */
const compared = async (
  file: PayFileOptions,
  seen: PayFileFacts,
  looked: Looked | undefined,
  { transferDate, repeats }: SlipOptions,
): Promise<Slips> => {
  if (looked === undefined) return { lines: seen.notes }
  const { batches, listed, isWhole } = looked
  const byId = new Map<string, BatchTransfer>()
  const byContent = new Map<string, BatchTransfer>()
  for (const [batch, items] of listed) {
    for (const { request_id, status, transfer_draft } of items) {
      if (UNPAID.includes(status)) continue
      byId.set(request_id, batch)
      for (const content of contentsOf(transfer_draft)) byContent.set(content, batch)
    }
  }
  const repeating: Array<string> = []
  const warnings: Array<string> = []
  const rows = new Set<number>()
  const firsts = new Map<string, number>()
  let place = 0
  for await (const { item } of rowsOf(file)) {
    place++
    if (E.isLeft(item)) continue
    const [content = ''] = contentsOf(item.right)
    const first = firsts.get(content)
    if (first === undefined && seen.maybeAlike.has(content)) firsts.set(content, place)
    const same = byId.get(item.right.request_id)
    const like = byContent.get(content)
    const row = `row ${number(place)}`
    if (first !== undefined) {
      repeating.push(
        `${row} has the same account, currencies, amount and reference as row ${number(first)}`,
      )
    }
    if (same !== undefined) {
      repeating.push(`${row} has the same request_id as an item in ${shown(same)}`)
    }
    if (first !== undefined || same !== undefined) rows.add(place)
    else if (like !== undefined) warnings.push(`warning: ${row} matches an item in ${shown(like)}`)
  }
  const [isNow, isOtherDay] = [new Map<string, string>(), new Map<string, string>()]
  for (const batch of batches.filter((one) => isOfSet(one, seen.set))) {
    const day = batch.transfer_date?.slice(0, 10)
    const isOther = transferDate !== undefined && day !== undefined && day !== transferDate
    const of = isOther ? isOtherDay : isNow
    of.set(runOf(batch), `${batch.status}${day === undefined ? '' : ` for ${day}`}`)
  }
  const all = `all ${number(seen.items)} payments are the same as in run`
  const lines = [
    ...seen.notes,
    ...fewLines(warnings),
    ...Array.from(isOtherDay, ([run, state]) => `warning: ${all} ${run} (${state})`),
    ...fewLines(repeating),
    ...Array.from(isNow, ([run, state]) => `${all} ${run} (${state})`),
    batches.length === 0
      ? 'no other batches to check for repeats'
      : `checked ${plural(batches.length, 'other batch').replace('batchs', 'batches')} for repeats, and the items in ${number(listed.length)} of them${isWhole ? '' : '; the rest was not checked'}`,
  ]
  const count = isNow.size > 0 ? seen.items : rows.size
  if (count === (repeats ?? 0)) return { lines }
  const what = count === 1 ? '1 payment repeats another' : `${number(count)} payments repeat others`
  return {
    lines,
    refusal:
      count === 0
        ? `no payment repeats another: leave out --repeats; nothing was sent`
        : `${what}${repeats === undefined ? '' : `, not ${number(repeats)}`}: nothing was sent; if this is intended, add --repeats ${count}`,
  }
}

const shown = ({ request_id, status }: BatchTransfer): string => `${request_id} (${status})`

const fewLines = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const more = lines.length - MOST_LINES
  return [
    ...lines.slice(0, MOST_LINES),
    ...(more > 0 ? [`... and ${number(more)} more like these`] : []),
  ]
}

const rowList = (places: ReadonlyArray<number>): string => {
  const more = places.length - MOST_LINES
  const named = places.slice(0, MOST_LINES).map(number).join(', ')
  return `${places.length === 1 ? 'row' : 'rows'} ${named}${more > 0 ? ` and ${number(more)} more` : ''}`
}

// content

/** Returns one key for each given amount. The keys of equal payments to one account are equal. */
const contentsOf = (payment: unknown): ReadonlyArray<string> => {
  const fields = fieldsOf(payment)
  const bank = fieldsOf(fieldsOf(fields.beneficiary).bank_details)
  const digits = [bank.iban, bank.account_number, bank.account_routing_value1, bank.swift_code]
  const account = [fields.beneficiary_id, ...digits.map(bareText)]
  if (account.every((part) => typeof part !== 'string' || part === '')) return []
  return AMOUNTS.flatMap((name) => {
    const text = O.getOrElse(() => fields[name])(digitsOf(name)(fields))
    if (text === undefined || text === null) return []
    const { source_currency, transfer_currency, reference } = fields
    const amount = amountValue(String(text))
    return [JSON.stringify([account, source_currency, transfer_currency, name, amount, reference])]
  })
}

/** Removes the spaces from an account number. */
const bareText = (u: unknown): unknown =>
  typeof u === 'string' ? u.replace(/[\s-]/g, '').toUpperCase() : undefined
