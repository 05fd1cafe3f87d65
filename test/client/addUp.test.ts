/** Snapshots of adjoining spans at random services: together they are the whole, or a failure says that they are not. */
import { lastValueFrom, type Observable, toArray } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { seeded } from '../../bench/simulated/random.js'
import { E } from '../../src/fp.js'
import { createClient, type SnapshotFilter, unlimited } from '../../src/index.js'
import { virtualTime } from '../support/idleClock.js'
import { CHARGE, timeText } from '../support/lab.js'
import { runs } from '../support/runs.js'

const START = Date.UTC(2026, 0, 1)

// a service

interface Row {
  readonly id: string
  /** In ms since 1970. */
  readonly at: number
  readonly rank: number
}

interface Service {
  readonly rows: ReadonlyArray<Row>
  readonly order: 'ascending' | 'descending'
  /** It leaves out rows of the very bounds. */
  readonly leavesOut: { readonly from: boolean; readonly to: boolean }
  /** It compares whole seconds. */
  readonly wholeSeconds: boolean
  /** Most rows per page, however many are asked for. */
  readonly cap: number
  /** The chance that a row is deleted before an answer. */
  readonly deleting: number
  /** The time that a row shows, in ms. */
  readonly shows: (at: number) => number
  readonly random: () => number
}

const secondOf = (ms: number): number => Math.floor(ms / 1_000) * 1_000

const millis = (text: string | null): number | undefined =>
  text === null ? undefined : Date.parse(text.replace('+0000', 'Z'))

const serve = (service: Service) => {
  const { order, leavesOut, wholeSeconds, cap, deleting, shows, random } = service
  const sign = order === 'descending' ? -1 : 1
  let rows = [...service.rows].sort((a, b) => sign * (a.at - b.at) || a.rank - b.rank)
  const answer = (query: URLSearchParams): unknown => {
    while (random() < deleting) {
      const gone = Math.floor(random() * rows.length)
      rows = rows.filter((_, i) => i !== gone)
    }
    const [from, to] = ['from_created_at', 'to_created_at'].map((name) => millis(query.get(name)))
    const isAsked = ({ at }: Row): boolean => {
      const time = wholeSeconds ? secondOf(at) : at
      const isAfter = from === undefined || (leavesOut.from ? time > from : time >= from)
      return isAfter && (to === undefined || (leavesOut.to ? time < to : time <= to))
    }
    const size = Math.min(cap, Number(query.get('page_size')))
    const first = Number(query.get('page_num')) * size
    const found = rows.filter(isAsked)
    return {
      has_more: found.length > first + size,
      items: found
        .slice(first, first + size)
        .map(({ id, at }) => ({ ...CHARGE, id, created_at: timeText(shows(at)) })),
    }
  }
  return { answer, there: () => new Set(rows.map(({ id }) => id)) }
}

// a case

const oneOf = <A>(random: () => number, first: A, ...others: ReadonlyArray<A>): A =>
  [first, ...others][Math.floor(random() * (others.length + 1))] ?? first

interface Case {
  readonly service: Service
  readonly range: { readonly from: number; readonly to: number }
  /** Filters of the whole range, and of spans that adjoin. */
  readonly whole: SnapshotFilter
  readonly parts: ReadonlyArray<SnapshotFilter>
  readonly parallel: number
}

/** Two days, as partitions name them. */
const days: Pick<Case, 'range' | 'whole' | 'parts'> = {
  range: { from: START, to: START + 2 * 86_400_000 },
  whole: { from_created_at: '2026-01-01', to_created_at: '2026-01-02' },
  parts: ['2026-01-01', '2026-01-02'].map((day) => ({ from_created_at: day, to_created_at: day })),
}

/** A range of whole seconds, cut anywhere. */
const spansOf = (
  { from, to }: { readonly from: number | undefined; readonly to: number },
  random: () => number,
): Pick<Case, 'range' | 'whole' | 'parts'> => {
  const begin = from ?? START
  const inside = Array.from({ length: 3 }, () => begin + secondOf(random() * (to - begin)))
  const cuts = [...new Set(inside)].filter((at) => begin < at && at < to).sort((a, b) => a - b)
  const filterOf = (first: number | undefined, end: number): SnapshotFilter => ({
    ...(first === undefined ? {} : { from_created_at: new Date(first) }),
    to_created_at: new Date(end - 1_000), // with all of its second
  })
  return {
    range: { from: from ?? 0, to },
    whole: filterOf(from, to),
    parts: [...cuts, to].map((end, i) => filterOf(i === 0 ? from : cuts[i - 1], end)),
  }
}

const caseOf = (seed: number): Case => {
  const random = seeded(seed)
  const pick = <A>(first: A, ...others: ReadonlyArray<A>): A => oneOf(random, first, ...others)
  const count = pick(0, 1, 25, 80, 200)
  const seconds = pick(3, 30, 300, 86_400)
  const precise = pick(false, true)
  const crowd = pick(0, 0, 30) // rows of one second
  const at = (i: number): number => {
    const time = START + (i < crowd ? 1 : random() * seconds) * 1_000
    return Math.floor(precise ? time : secondOf(time))
  }
  const rows = Array.from({ length: count }, (_, i) => ({
    ...{ id: `chg_${i}`, at: at(i), rank: random() },
  }))
  const wholeSeconds = pick(false, true)
  const rounded = (ms: number): number => secondOf(ms + 500)
  const shows = pick(secondOf, secondOf, wholeSeconds ? secondOf : rounded)
  const from = pick(undefined, undefined, START + Math.floor(random() * seconds) * 1_000)
  const end = START + Math.floor((0.5 + random()) * seconds) * 1_000 + 2_000
  const spans = pick(true, false)
    ? days
    : spansOf({ from, to: Math.max(end, (from ?? 0) + 1_000) }, random)
  return {
    service: {
      ...{ rows, shows, wholeSeconds, random },
      order: pick('ascending', 'descending'),
      leavesOut: { from: pick(false, true), to: pick(false, true) },
      cap: pick(2_000, 2_000, 7),
      deleting: pick(0, 0, 0, 0.02, 0.2),
    },
    ...spans,
    parallel: pick(1, 1, 4),
  }
}

// reading it

interface Reading {
  readonly ids: ReadonlyArray<string>
  readonly failure?: string
}

const failed = (left: { readonly _tag: string; readonly message: string }): Reading => ({
  ids: [],
  failure: `${left._tag}: ${left.message}`,
})

/** Reads it whole, and then in parts. */
const read = async ({ service, whole, parts, parallel }: Case) => {
  const { timer, run } = virtualTime()
  const { answer, there } = serve(service)
  const payments = createClient({
    baseUrl: 'https://service',
    credentials: { token: async () => ({ token: 'token' }) },
    fetch: async (url) => Response.json(answer(new URL(String(url)).searchParams)),
    ...{ timer, log: false, limits: unlimited },
  })
  const all = <A>(source: Observable<A>) => run(lastValueFrom(source.pipe(toArray())))
  const idsOf = async (filter: SnapshotFilter): Promise<Reading> => {
    const list = payments.charges.snapshot({ page_size: 10, ...filter }).parallel(parallel)
    const rows = E.sequenceArray(await all(list))
    return E.isLeft(rows) ? failed(rows.left) : { ids: rows.right.map(({ id }) => id) }
  }
  const inParts = async (): Promise<Reading> => {
    const ids: Array<string> = []
    for (const filter of parts) {
      const part = await idsOf(filter)
      if (part.failure !== undefined) return part
      ids.push(...part.ids)
    }
    return { ids }
  }
  const readings = { whole: await idsOf(whole), parts: await inParts() }
  return { ...readings, there: there() }
}

/** Returns what is wrong with a reading: rows that it should have, or should not, or a failure without a reason. */
const wrongIn = ({ ids, failure }: Reading, { service, range }: Case, there: Set<string>) => {
  if (failure !== undefined) return service.deleting > 0 ? undefined : { failure }
  const wanted = service.rows.filter(({ at }) => {
    const time = service.shows(at)
    return range.from <= time && time < range.to
  })
  const missing = wanted.filter(({ id }) => there.has(id) && !ids.includes(id))
  const known = new Set(wanted.map(({ id }) => id))
  const strange = ids.filter((id) => !known.has(id))
  const twice = ids.length - new Set(ids).size
  return missing.length + strange.length + twice === 0
    ? undefined
    : { missing: missing.map(({ id }) => id), strange, twice }
}

/** Random services: so many. */
const SERVICES = runs(40)

/** For each service, at most, in ms. */
const LONGEST = 1_000

describe('snapshots of adjoining spans', () => {
  it(
    'add up to the rows of the whole snapshot, or fail where rows are deleted',
    async () => {
      const wrong: Array<unknown> = []
      for (let seed = 1; seed <= SERVICES; seed++) {
        const one = caseOf(seed)
        const { there, ...readings } = await read(one)
        for (const [way, reading] of Object.entries(readings)) {
          const why = wrongIn(reading, one, there)
          if (why !== undefined) wrong.push({ seed, way, ...why })
        }
      }
      expect(wrong).toEqual([])
    },
    SERVICES * LONGEST,
  )
})
