/**
 * Reads the charges whose status is not final, and those that were open and are not any more: together, all charges that
 * can have changed since, but final ones that were opened again, or changed, against the rules.
 *
 * Each open status has a list, in pages of 2,000. Charges that were known as open and that no list shows have left: they
 * are read by id, and those that are close in time together, by a page of their time.
 */
import type { Asking } from './Asking.js'
import { PollInterrupted } from './Asking.js'
import type { OpenCharge } from './KnownCharges.js'
import { type LedgerQuery, type LedgerRow, PAGE_SIZE, type Seconds } from './Ledger.js'
import { Counting, TooDeep, Uncountable } from './proof/Counting.js'

// model

export interface OpenOptions {
  /** The statuses to list. */
  readonly statuses: ReadonlyArray<string>
  /** Statuses that the service does not list; this learns more of them. */
  readonly unlisted: Set<string>
  /** Returns the charges that are known as open; called after each list. */
  readonly openCharges: () => Iterable<OpenCharge>
  /** Ids that were read already. They need not be read again. */
  readonly seen: Set<string>
  /** The time, in seconds since 1970. */
  readonly now: Seconds
  /** The time that a page of all charges spans, as far as that is known. */
  readonly pageSpan: Seconds
}

/** Charges that were read, and ids of those that the service has no more. */
export interface OpenPage<A> {
  readonly rows: ReadonlyArray<LedgerRow<A>>
  readonly gone: ReadonlyArray<string>
}

/** Charges of a status that are listed whole. Where there are more, the ones older than `OLD` are counted. */
const MAX_LISTED = 20 * PAGE_SIZE

/** In seconds: 30 days. */
const OLD: Seconds = 30 * 86_400

/** How full a page is planned to be: times of charges are not even. */
const FILL = 0.9

// functions

/** Reads open charges and those that have left. Rejects with `PollInterrupted`. */
export async function* readOpen<A>(
  asking: Asking<A>,
  options: OpenOptions,
): AsyncGenerator<OpenPage<A>, void, undefined> {
  const { statuses, unlisted, openCharges, seen } = options
  for (const status of statuses) {
    if (unlisted.has(status)) continue
    for await (const rows of readStatus(asking, status, options)) {
      for (const { id } of rows) seen.add(id)
      yield { rows, gone: [] }
    }
  }
  const left = [...openCharges()].filter(({ id }) => !seen.has(id))
  yield* readLeft(asking, left.sort(byTime), options)
}

const byTime = (one: OpenCharge, other: OpenCharge): number => one.created - other.created

/** Reads the list of a status. One that the service refuses is remembered as not listed. */
async function* readStatus<A>(
  asking: Asking<A>,
  status: string,
  { unlisted, openCharges, seen, now }: OpenOptions,
): AsyncGenerator<ReadonlyArray<LedgerRow<A>>, void, undefined> {
  const before = now - OLD
  const older: Array<string> = []
  let total = 0
  for (const charge of openCharges()) {
    if (charge.status !== status) continue
    total++
    if (charge.created < before) older.push(charge.id)
  }
  const isLong = total > MAX_LISTED
  let isListed = false
  try {
    for await (const rows of pagesOf(asking, { status, ...(isLong ? { from: before } : {}) })) {
      isListed = true
      yield rows
    }
    const unseen = older.filter((id) => !seen.has(id))
    if (!isLong) return
    if (await hasAsMany(asking, { status, to: before - 1 }, unseen.length)) {
      for (const id of unseen) seen.add(id)
    } else yield* pagesOf(asking, { status, to: before - 1 })
  } catch (error) {
    if (!(error instanceof PollInterrupted) || !isRefusal(error)) throw error
    if (!isListed) unlisted.add(status)
    // or it pages less deep: the rest of what is known is read as if it had left
  }
}

const hasAsMany = async (
  asking: Asking<unknown>,
  { status, to }: { readonly status: string; readonly to: Seconds },
  expected: number,
): Promise<boolean> => {
  const rows = { status, from: Number.NEGATIVE_INFINITY, to }
  try {
    return (await new Counting(asking).count(rows, expected)) === expected
  } catch (error) {
    if (error instanceof TooDeep || error instanceof Uncountable) return false
    throw error
  }
}

const isRefusal = ({ failure }: PollInterrupted): boolean =>
  failure?._tag === 'InvalidRequest' || (failure?._tag === 'Refused' && failure.status === 400)

async function* pagesOf<A>(
  asking: Asking<A>,
  query: Omit<LedgerQuery, 'page' | 'size'>,
): AsyncGenerator<ReadonlyArray<LedgerRow<A>>, void, undefined> {
  for (let page = 0, more = true; more; page++) {
    const answer = await asking.page({ ...query, page, size: PAGE_SIZE })
    more = answer.more
    yield answer.rows
  }
}

/** Reads charges that have left the lists of their status, sorted by time. */
async function* readLeft<A>(
  asking: Asking<A>,
  left: ReadonlyArray<OpenCharge>,
  { pageSpan, seen }: OpenOptions,
): AsyncGenerator<OpenPage<A>, void, undefined> {
  let span = Math.max(1, pageSpan * FILL)
  for (const [i, first] of left.entries()) {
    if (seen.has(first.id)) continue
    const group = within(left, i, span).filter(({ id }) => !seen.has(id))
    const last = group.at(-1)
    if (last !== undefined && group.length > 1) {
      // a second more on either side: the service may leave out its bounds
      const query = { from: first.created - 1, to: last.created + 1, page: 0, size: PAGE_SIZE }
      const { rows, more } = await asking.page(query)
      const wanted = new Set(group.map(({ id }) => id))
      const found = rows.filter(({ id }) => wanted.has(id))
      for (const { id } of found) seen.add(id)
      if (more) span = Math.max(1, spanOf(rows) * FILL)
      if (found.length > 0) yield { rows: found, gone: [] }
      if (seen.has(first.id)) continue
    }
    const row = await asking.retrieve(first.id)
    seen.add(first.id)
    yield row === undefined ? { rows: [], gone: [first.id] } : { rows: [row], gone: [] }
  }
}

/** Returns charges from the i-th on that are not more than a span apart. */
const within = (
  charges: ReadonlyArray<OpenCharge>,
  i: number,
  span: Seconds,
): ReadonlyArray<OpenCharge> => {
  const start = charges[i]?.created ?? 0
  let end = i
  while (end < charges.length && (charges[end]?.created ?? 0) - start <= span) end++
  return charges.slice(i, end)
}

const spanOf = (rows: ReadonlyArray<LedgerRow<unknown>>): Seconds => {
  const times = rows.map(({ created }) => created)
  return times.length === 0 ? 0 : Math.max(...times) - Math.min(...times)
}
