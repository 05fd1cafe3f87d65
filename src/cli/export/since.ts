/** `--since-last`: what an export that goes on from an earlier one has to read. */
import { basename } from 'node:path'
import { fromDate } from '../../codec/Instant.js'
import { toMillis } from '../../codec/times.js'
import { codeOf } from '../../export/file/systemError.js'
import {
  CannotRun,
  type Format,
  lastComplete,
  type Manifest,
  type ManifestRun,
  type Purpose,
  pathsOf,
  readManifest,
  type SmallFiles,
  type Wanted,
} from '../../export/index.js'
import { purposeOf } from '../../export/run/Purpose.js'
import { readText } from '../../export/run/SmallFiles.js'
import { plural } from '../progress/words.js'
import { WrongUse } from '../Terminal.js'
import type { OutputPlan } from './outputPlan.js'
import { isThere, placeOf } from './places.js'

// model

export interface Since {
  /** From when on charges are read; all of them when left out. */
  readonly from?: string
  /** What is said of it. */
  readonly note: string
}

export interface SinceOptions {
  readonly plan: OutputPlan
  /** `true`: the manifest of the folder. */
  readonly sinceLast: true | string
  /** How long before the end of the last run charges may have changed, in ms. */
  readonly lookback?: number
  /** Of the run to be, without its times. */
  readonly purpose: Wanted
  readonly format: Format<never>
  readonly files: SmallFiles
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A week: a charge that is not settled or failed by then is rare. */
const LOOKBACK = 7 * DAY

const TIMES = ['from_created_at', 'to_created_at']

/** How files are written, as the options have it. */
const WORDS: Readonly<Record<string, string>> = {
  name: 'format',
  compress: 'compression',
  columns: 'set of columns',
  numbers: 'precision (--exact)',
  formulas: 'kind of cells (--safe-cells)',
  amounts: 'form of amounts (--amounts)',
}

// constructors

/** Throws a `WrongUse` when there is nothing to go on from. */
export const since = async ({
  plan,
  sinceLast,
  lookback = LOOKBACK,
  purpose,
  format,
  files,
}: SinceOptions): Promise<Since> => {
  const path = await manifestOf(plan, sinceLast)
  const manifest = await kept(files, path, sinceLast)
  if (manifest === undefined && sinceLast !== true) {
    throw new WrongUse(`--since-last: there is no manifest ${path}`)
  }
  const last = manifest && lastComplete(manifest)
  if (manifest === undefined || last?.bounds === undefined) {
    return { note: `no complete run in ${path}: everything is read` }
  }
  same(path, last.purpose, purposeOf(purpose, format, plan.out), sinceLast === true)
  const { at, end } = reached(last, last.bounds)
  const back = Math.max(0, at - lookback)
  const from = new Date(Math.max(back, beginningOf(path, manifest)))
  const { to_created_at: to } = purpose.query
  if (typeof to === 'string' && toMillis(to) < from.getTime()) {
    throw new WrongUse(`--to: ${to} is before ${from.toISOString()}, where --since-last goes on`)
  }
  const before = `${span(lookback)} before ${end} of the last complete run`
  const what = from.getTime() > back ? `the beginning of the folder, less than ${before}` : before
  return { from: fromDate(from), note: `since ${from.toISOString()}: ${what}` }
}

/** From when on a folder has charges: what is older was not asked for. The manifest of a file does not tell. */
const beginningOf = (path: string, { runs }: Manifest): number => {
  if (basename(path) !== basename(pathsOf('folder/').manifest)) return 0
  const begins = runs.flatMap(({ complete, bounds }) => (complete && bounds ? [bounds.from] : []))
  return begins.reduce((least, from) => Math.min(least, from))
}

/** Up to when a run has read: it cannot have what was made after it began, wherever its time ends. */
const reached = (
  { started }: Pick<ManifestRun, 'started'>,
  { to }: Required<ManifestRun>['bounds'],
): { readonly at: number; readonly end: string } => {
  const began = Date.parse(started)
  return began < to ? { at: began, end: 'the start' } : { at: to, end: 'the end' }
}

/** `7 days`, `12 hours`, `90 minutes`. */
const span = (ms: number): string => {
  if (ms % DAY === 0) return plural(ms / DAY, 'day')
  return ms % HOUR === 0 ? plural(ms / HOUR, 'hour') : plural(ms / MINUTE, 'minute')
}

/** Nothing, when there is no manifest; a `WrongUse` when it cannot be read. */
const kept = async (
  files: SmallFiles,
  path: string,
  sinceLast: true | string,
): Promise<Manifest | undefined> => {
  try {
    const text = await readText(files, path)
    return text === undefined ? undefined : readManifest(path)(text)
  } catch (error) {
    if (error instanceof CannotRun) {
      const advice = sinceLast === true ? ': --restart without --since-last starts over' : ''
      throw new WrongUse(`--since-last: ${error.message}${advice}`)
    }
    const code = codeOf(error)
    if (typeof code !== 'string') throw error
    throw new WrongUse(`--since-last: ${path} cannot be read: ${code}`)
  }
}

const manifestOf = async ({ kind, out }: OutputPlan, sinceLast: true | string): Promise<string> => {
  const own = pathsOf(out).manifest
  if (sinceLast === true) {
    if (kind === 'folder') return own
    throw new WrongUse(
      '--since-last needs --out DIR/, or the manifest of the run before: a file has one run',
    )
  }
  const path = (await isThere(sinceLast)) ? pathsOf(`${sinceLast}/`).manifest : sinceLast
  if (kind === 'file' && (await isAny(path, [own, out]))) {
    throw new WrongUse(
      `--since-last: ${out} is the run before, and would be replaced: name a new file`,
    )
  }
  return path
}

const isAny = async (path: string, others: ReadonlyArray<string>): Promise<boolean> =>
  (await Promise.all(others.map(placeOf))).includes(await placeOf(path))

/** What was read must be what is to be read, but for the times; beside it, in the same words. */
const same = (
  path: string,
  { query, ...found }: Purpose,
  wanted: Purpose,
  beside: boolean,
): void => {
  const differs = (what: string): never => {
    throw new WrongUse(`--since-last: ${path} is of another ${what}`)
  }
  if (found.resource !== wanted.resource) differs('resource')
  if (found.account !== wanted.account) differs('account')
  for (const name of Object.keys({ ...query, ...wanted.query })) {
    if (!TIMES.includes(name) && query[name] !== wanted.query[name]) differs(name)
  }
  if (!beside) return
  for (const name of Object.keys({ ...found.format, ...wanted.format })) {
    if (found.format[name] !== wanted.format[name]) differs(WORDS[name] ?? name)
  }
}
