/** `--since-last`: what an export that goes on from an earlier one has to read. */

import { fromDate } from '../../codec/Instant.js'
import { toMillis } from '../../codec/times.js'
import { fieldsOf, parsed } from '../../decode/unknown.js'
import {
  type Format,
  lastComplete,
  type Manifest,
  type ManifestRun,
  type SmallFiles,
  type Wanted,
} from '../../export/index.js'
import { runsBefore } from '../../export/run/find.js'
import { isOfFolder } from '../../export/run/Paths.js'
import { purposeOf } from '../../export/run/Purpose.js'
import { readText } from '../../export/run/SmallFiles.js'
import { UsageError } from '../output.js'
import { DAY, HOUR, MINUTE, plural } from '../text.js'
import { checkSame } from './checkSame.js'
import { manifestBefore } from './manifestBefore.js'
import type { OutputPlan } from './outputPlan.js'

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
  /** Where that of a run to be gone on with is, if there is one. */
  readonly checkpoint?: string
  readonly files: SmallFiles
}

/** A week, in ms: a charge that is not settled or failed by then is rare. */
const LOOKBACK = 7 * DAY

// constructors

/** Throws a `WrongUse` when there is nothing to go on from. */
export const since = async ({
  plan,
  sinceLast,
  lookback = LOOKBACK,
  purpose,
  format,
  checkpoint,
  files,
}: SinceOptions): Promise<Since> => {
  const { path, manifest: found } = await manifestBefore(plan, sinceLast, files)
  const started = checkpoint && (await startOf(files, checkpoint))
  const manifest = found && { ...found, runs: runsBefore(started, found.runs) }
  const last = manifest && lastComplete(manifest)
  const advice = manifest === undefined ? '' : afterRejects(manifest, lookback)
  if (manifest === undefined || last?.bounds === undefined) {
    return { note: `no complete run in ${path}: everything is read${advice}` }
  }
  checkSame(path, last.purpose, purposeOf(purpose, format, plan.out), sinceLast === true)
  const { at, end } = reached(last, last.bounds)
  const back = Math.max(0, at - lookback)
  const from = new Date(Math.max(back, beginningOf(path, manifest)))
  const { to_created_at: to } = purpose.query
  if (typeof to === 'string' && toMillis(to) < from.getTime()) {
    throw new UsageError(`--to: ${to} is before ${from.toISOString()}, where --since-last goes on`)
  }
  const ended = `${end} of the last complete run`
  const before = lookback === 0 ? ended : `${span(lookback)} before ${ended}`
  const later = lookback === 0 ? 'after' : 'less than'
  const what = from.getTime() > back ? `the beginning of the folder, ${later} ${before}` : before
  return { from: fromDate(from), note: `since ${from.toISOString()}: ${what}${advice}` }
}

/** When the run of a checkpoint began. Whoever goes on with it tells what is wrong with one that cannot be read. */
const startOf = async (files: SmallFiles, checkpoint: string): Promise<string | undefined> => {
  const text = await readText(files, checkpoint).catch(() => undefined)
  const { started } = fieldsOf(parsed(text ?? ''))
  return typeof started === 'string' ? started : undefined
}

/** How to go on from a last run that was read to its end and is not complete: as long as it is not, each adds more. */
const afterRejects = ({ runs }: Manifest, lookback: number): string => {
  const last = runs.at(-1)
  if (last?.bounds === undefined || last.complete || !last.ended) return ''
  const from = new Date(Math.max(0, reached(last, last.bounds).at - lookback)).toISOString()
  const rejected = `${plural(last.rejects, 'row')} of it ${last.rejects === 1 ? 'was' : 'were'} rejected`
  return `; the last run was read to its end, but ${rejected}: --from ${from} in place of --since-last, with an --out of its own, reads only what is new`
}

/** From when on a folder has charges: what is older was not asked for. The manifest of a file does not tell. */
const beginningOf = (path: string, { runs }: Manifest): number => {
  if (!isOfFolder(path)) return 0
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
