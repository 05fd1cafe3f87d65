/** Slices of snapshots at random services: together they are the whole, or a failure says that they are not. */
import { lastValueFrom, type Observable, toArray } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { seeded } from '../../../bench/simulated/random.js'
import { assemble, exportSlice, planSlices, readManifest } from '../../../src/export/index.js'
import { E } from '../../../src/fp.js'
import { type Charge, createClient, type SnapshotFilter, unlimited } from '../../../src/index.js'
import { virtualTime } from '../../../src/sandbox/index.js'
import { CHARGE, timeText } from '../../support/lab.js'
import { runs } from '../../support/runs.js'
import { memory } from '../transfer/memory.js'

const START = Date.UTC(2026, 0, 1)
const OUT = '/exports/charges/'

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
  /** Most rows a page, however many are asked for. */
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
  readonly filter: SnapshotFilter
  readonly range: { readonly from: number; readonly to: number }
  readonly slices: number
  readonly parallel: number
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
  const to = START + Math.floor((0.5 + random()) * seconds) * 1_000 + 1_000
  return {
    service: {
      ...{ rows, shows, wholeSeconds, random },
      order: pick('ascending', 'descending'),
      leavesOut: { from: pick(false, true), to: pick(false, true) },
      cap: pick(2_000, 2_000, 7),
      deleting: pick(0, 0, 0, 0.02, 0.2),
    },
    filter: {
      page_size: 10,
      ...(from === undefined ? {} : { from_created_at: new Date(from) }),
      to_created_at: new Date(Math.max(to, from ?? 0)),
    },
    range: { from: from ?? 0, to: Math.max(to, from ?? 0) + 1_000 },
    slices: pick(2, 3, 7),
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

/** Reads it whole, and then in the parts of `split`, and as an export in slices. */
const read = async ({ service, filter, slices, parallel }: Case) => {
  const { timer, run } = virtualTime()
  const { answer, there } = serve(service)
  const payments = createClient({
    baseUrl: 'https://service',
    credentials: { token: async () => ({ token: 'token' }) },
    fetch: async (url) => Response.json(answer(new URL(String(url)).searchParams)),
    ...{ timer, log: false, limits: unlimited },
  })
  const all = <A>(source: Observable<A>) => run(lastValueFrom(source.pipe(toArray())))
  const last = <A>(source: Observable<A>) => run(lastValueFrom(source))
  const idsOf = async (list: ReturnType<typeof payments.charges.snapshot>): Promise<Reading> => {
    const rows = E.sequenceArray(await all(list.parallel(parallel)))
    return E.isLeft(rows) ? failed(rows.left) : { ids: rows.right.map(({ id }) => id) }
  }
  const snapshot = payments.charges.snapshot(filter)

  const inParts = async (): Promise<Reading> => {
    const spans = await last(snapshot.split({ slices }))
    if (E.isLeft(spans)) return failed(spans.left)
    const ids: Array<string> = []
    for (const span of spans.right) {
      const part = await idsOf(snapshot.within(span))
      if (part.failure !== undefined) return part
      ids.push(...part.ids)
    }
    return { ids }
  }

  const inSlices = async (): Promise<Reading> => {
    const files = memory()
    const place = { out: OUT, files, timer }
    const plan = await last(planSlices(snapshot, { ...place, slices }))
    if (E.isLeft(plan)) return failed(plan.left)
    for (const slice of plan.right.slices) {
      const end = await last(exportSlice<Charge>(payments, slice, { ...place, parallel }))
      if (E.isLeft(end)) return failed(end.left)
    }
    const manifest = await last(assemble(plan.right, place))
    if (E.isLeft(manifest)) return failed(manifest.left)
    const { runs } = readManifest(OUT)(files.text(`${OUT}_manifest.json`))
    const incomplete = runs.find(({ complete }) => !complete)
    if (incomplete !== undefined) return { ids: [], failure: 'incomplete' }
    const lines = runs
      .flatMap((run) => run.files)
      .flatMap(({ path }) => files.text(`${OUT}${path}`).split('\n').slice(0, -1))
    return { ids: lines.map((line) => JSON.parse(line).id) }
  }

  const readings = {
    whole: await idsOf(snapshot),
    parts: await inParts(),
    slices: await inSlices(),
  }
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

describe('slices', () => {
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
