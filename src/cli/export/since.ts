/** `--since-last`: what an export that goes on from an earlier one has to read. */
import { fromDate } from '../../codec/Instant.js'
import {
  lastComplete,
  type Purpose,
  pathsOf,
  readManifest,
  type SmallFiles,
} from '../../export/index.js'
import { readText } from '../../export/run/SmallFiles.js'
import { number } from '../progress/words.js'
import { WrongUse } from '../Terminal.js'
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
  readonly purpose: Pick<Purpose, 'resource' | 'account' | 'query'>
  readonly files: SmallFiles
}

/** A week: a charge that is not settled or failed by then is rare. */
const LOOKBACK = 7 * 86_400_000

const TIMES = ['from_created_at', 'to_created_at']

// constructors

/** Throws a `WrongUse` when there is nothing to go on from. */
export const since = async ({
  plan,
  sinceLast,
  lookback = LOOKBACK,
  purpose,
  files,
}: SinceOptions): Promise<Since> => {
  const path = manifestOf(plan, sinceLast)
  const text = await readText(files, path)
  if (text === undefined && sinceLast !== true) {
    throw new WrongUse(`--since-last: there is no manifest ${path}`)
  }
  const last = text === undefined ? undefined : lastComplete(readManifest(path)(text))
  if (last?.bounds === undefined) {
    return { note: `no complete run in ${path}: everything is read` }
  }
  same(path, last.purpose, purpose)
  const from = Math.max(0, last.bounds.to - lookback)
  const days = number(lookback / 86_400_000)
  return {
    from: fromDate(new Date(from)),
    note: `since ${new Date(from).toISOString()}: ${days} days before the end of the last complete run`,
  }
}

const manifestOf = ({ kind, out }: OutputPlan, sinceLast: true | string): string => {
  const own = pathsOf(out).manifest
  if (sinceLast === true) {
    if (kind === 'folder') return own
    throw new WrongUse(
      '--since-last needs --out DIR/, or the manifest of the run before: a file has one run',
    )
  }
  const path = sinceLast.endsWith('/') ? pathsOf(sinceLast).manifest : sinceLast
  if (path === own && kind === 'file') {
    throw new WrongUse(
      `--since-last: ${out} is the run before, and would be replaced: name a new file`,
    )
  }
  return path
}

/** What was read must be what is to be read, but for the times. */
const same = (
  path: string,
  { query, ...found }: SinceOptions['purpose'],
  wanted: SinceOptions['purpose'],
): void => {
  const differs = (what: string): never => {
    throw new WrongUse(`--since-last: ${path} is of another ${what}`)
  }
  if (found.resource !== wanted.resource) differs('resource')
  if (found.account !== wanted.account) differs('account')
  for (const name of Object.keys({ ...query, ...wanted.query })) {
    if (!TIMES.includes(name) && query[name] !== wanted.query[name]) differs(name)
  }
}
