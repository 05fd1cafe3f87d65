import type { AnyFailure } from '../../http/Failure.js'
import { is, type OptionsTable, required } from '../../options/index.js'
import type { Page } from '../../stream/index.js'
import { type ExportOptions, paceRules } from '../ExportOptions.js'
import type { Progress } from '../Progress.js'
import * as rule from '../rules.js'
import type { Begin } from './Begin.js'
import type { ManifestRun } from './ManifestRun.js'
import type { Owner, Runner } from './Owner.js'
import type { Wanted } from './Purpose.js'
import type { SmallFiles } from './SmallFiles.js'
import type { Source } from './Source.js'
import type { Watched } from './Tally.js'
import type { Target } from './Target.js'

// model

/** How an export goes: what `paceRules` are of. */
type Pace<A, Q, P extends Page<AnyFailure, A, Q>> = Pick<
  ExportOptions<A, Q, P>,
  'key' | 'shown' | 'every' | 'maxRejects' | 'stop' | 'timer'
>

/** What is exported, where to, and what is kept of it. */
export interface RunOptions<A, Q, P extends Page<AnyFailure, A, Q>> extends Pace<A, Q, P> {
  /** What is read, made by `fromList` or `fromSnapshot`. */
  readonly source: Source<A, Q, P>
  /** Where it goes, made by `targetOf`. */
  readonly target: Target<A>
  /** What is exported, and whose: a checkpoint of something else is refused. */
  readonly purpose: Wanted
  /** What to do about a checkpoint that is there. Default `new`: to refuse. */
  readonly begin?: Begin
  /** In a folder: whether it adds to the runs that are there. Default `false`. */
  readonly adds?: boolean
  /** Whose requests and drift are counted. */
  readonly client?: Watched
  /** Requests a second that the limits allow, to tell the share that was used. */
  readonly perSecond?: number
  /** Who runs, so that of two runs of one output the second is refused. Default `thisProcess()`. */
  readonly runner?: Runner | 'none'
  /** Default: the disk. */
  readonly files?: SmallFiles
}

const runner = is.withMethods('who runs', 'isAlive')

/** What a checkpoint and a manifest say, and are read back with. */
const wanted: OptionsTable<Wanted> = {
  resource: required(is.nonEmptyString),
  account: required(is.string),
  query: required(is.recordOf(is.string, 'an object of texts')),
  format: is.recordOf(is.string, 'an object of texts'),
}

/** What each option must be. */
export const runRules: OptionsTable<RunOptions<never, never, never>> = {
  source: required(
    is.withMethods('a source, made by fromList or fromSnapshot', 'pages', 'sliceOf'),
  ),
  target: required(is.withMethods('a target, made by targetOf', 'open', 'fileOf')),
  purpose: required(is.group<Wanted>(wanted)),
  begin: is.oneOf('new', 'resume', 'restart'),
  adds: is.boolean,
  client: is.withMethods('a client', 'drift'),
  perSecond: is.above(0),
  runner: {
    accepts: (u) => u === 'none' || runner.accepts(u),
    expected: `${runner.expected}, or 'none'`,
  },
  files: rule.files,
  ...paceRules,
}

/** How a run stands. Counts are of all its resumptions together. */
export interface RunProgress<Q = unknown> extends Progress<Q> {
  /** How it begins; with the first word only. */
  readonly begun?: Begun
  /** Why a run that goes on reads its list from the beginning again; with one word before the first page. */
  readonly anew?: AnyFailure
  /** Its entry in the manifest, unless nothing was written; with the last word only. */
  readonly entry?: ManifestRun
}

/** How a run begins. */
export interface Begun {
  /** Whether it goes on from a checkpoint. */
  readonly resumed: boolean
  /** A run that ended without giving back its lock, which was taken over. */
  readonly dead?: Owner
}
