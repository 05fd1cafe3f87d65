/**
 * Reads charges whose status is not final, and charges that are no longer open. Together, these are all charges that can have
 * changed, except final ones that were reopened or changed against the rules.
 *
 * Each open status has a list, in pages of 2,000. Known open charges that are in no list have left their status. They are read
 * by id or, if they are close in time, together with a page of that time.
 */
import type { Asking } from './Asking.js'
import { PollInterrupted } from './Asking.js'
import type { OpenCharge } from './KnownCharges.js'
import { type LedgerRow, PAGE_SIZE, type Seconds } from './Ledger.js'
import { Counting, TooDeep, Uncountable } from './proof/Counting.js'

export interface OpenOptions {
  /** Statuses to list. */
  readonly statuses: ReadonlyArray<string>
  /** Statuses that the service does not list. Others are added when they are found. */
  readonly unlisted: Set<string>
  /** Returns the charges that are known to be open. Called after each list. */
  readonly openCharges: () => Iterable<OpenCharge>
  /** Ids that have already been read. */
  readonly seen: Set<string>
  /** The time, in seconds since 1970. */
  readonly now: Seconds
  /** Time span of a page of all charges, if known. */
  readonly pageSpan: Seconds
}

/** Charges that were read, and ids of charges that the service no longer has. */
export interface OpenPage<A> {
  readonly rows: ReadonlyArray<LedgerRow<A>>
  readonly gone: ReadonlyArray<string>
}

/** Maximum number of charges per status whose full list is read. Beyond it, charges older than `OLD` are only counted. */
const MAX_LISTED = 20 * PAGE_SIZE

/** Age from which a charge counts as old, in seconds: 30 days. */
const OLD: Seconds = 30 * 86_400

/** Planned fill of a page, because charges are not evenly spread over time. */
const FILL = 0.9

/** Reads open charges, and charges that have left their status. Rejects with `PollInterrupted`. */
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

/** Reads the list of a status. If the service refuses the status, remembers that it is not listed. */
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
    for await (const { rows } of asking.pages({ status, ...(isLong ? { from: before } : {}) })) {
      isListed = true
      yield rows
    }
    const unseen = older.filter((id) => !seen.has(id))
    if (!isLong) return
    if (await hasAsMany(asking, { status, to: before - 1 }, unseen.length)) {
      for (const id of unseen) seen.add(id)
      return
    }
    for await (const { rows } of asking.pages({ status, to: before - 1 })) yield rows
  } catch (error) {
    if (!(error instanceof PollInterrupted) || !isRefusal(error)) throw error
    if (!isListed) unlisted.add(status)
    // or it does not page deep enough; other known charges are then read as if they had left the list
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

/** Reads charges that have left the lists of their status, sorted by time. */
async function* readLeft<A>(
  asking: Asking<A>,
  left: ReadonlyArray<OpenCharge>,
  { pageSpan, seen }: OpenOptions,
): AsyncGenerator<OpenPage<A>, void, undefined> {
  let span = Math.max(1, pageSpan * FILL)
  /** Time up to which pages have covered all charges. A charge that is missing from them is read by id only. */
  let shown: Seconds = Number.NEGATIVE_INFINITY
  for (const [i, first] of left.entries()) {
    if (seen.has(first.id)) continue
    const group = within(left, i, span).filter(({ id }) => !seen.has(id))
    const last = group.at(-1)
    if (last !== undefined && group.length > 1 && first.created > shown) {
      // one more second on either side, because the service may exclude the bounds
      const query = { from: first.created - 1, to: last.created + 1, page: 0, size: PAGE_SIZE }
      const { rows, more } = await asking.page(query)
      const wanted = new Set(group.map(({ id }) => id))
      const found = rows.filter(({ id }) => wanted.has(id))
      for (const { id } of found) seen.add(id)
      if (more) span = Math.max(1, spanOf(rows) * FILL)
      else shown = last.created
      if (found.length > 0) yield { rows: found, gone: [] }
      if (seen.has(first.id)) continue
    }
    const row = await asking.retrieve(first.id)
    seen.add(first.id)
    yield row === undefined ? { rows: [], gone: [first.id] } : { rows: [row], gone: [] }
  }
}

/** Returns the charges from index i on that lie within one span. */
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
