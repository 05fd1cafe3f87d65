/** Runs an export. Shows its progress and its outcome. */
import type { Observable } from 'rxjs'
import {
  type ExportEvent,
  type ExportProgress,
  type ExportStart,
  isExportError,
  type ManifestRun,
} from '../../export/index.js'
import { type FilesLocation, fileAt, isInBucket } from '../../export/location/Location.js'
import { E } from '../../fp.js'
import { number, plural } from '../../report/text.js'
import { type Exceptions, NEXT } from '../endings.js'
import { type Performed, perform, type Words } from '../perform.js'
import { type DestinationState, summary } from '../progress/ExportCounters.js'
import type { MonitoredRun } from '../progress/ProgressMonitor.js'
import type { CommandRun, Ending } from '../runCommand.js'
import type { ExportFlags } from './exportFlags.js'
import type { RejectedRows } from './rejectedRows.js'

interface DestinationNames {
  readonly name: string
  readonly rejectsName: string
  /** Location of the files; `undefined` for a stream. */
  readonly files: FilesLocation | undefined
  readonly canResume: boolean
}

/** An export that is ready to be subscribed to. */
export interface PreparedExport extends DestinationNames {
  readonly client: MonitoredRun['client']
  readonly events: Observable<ExportEvent>
  readonly first?: ReadonlyArray<string>
  /** Filters of the list, shown if no row matches. */
  readonly filter?: object
  /** Rejected rows, if the destination has no file for them. */
  readonly rejected?: RejectedRows
}

/** Runs an export. If it rejects, that is a bug, and everything is unsubscribed. */
export const performExport = (
  run: CommandRun,
  flags: Pick<ExportFlags, 'formulas'> & Partial<Pick<ExportFlags, 'progress'>>,
  { client, events, first = [], filter = {}, rejected, ...names }: PreparedExport,
): Promise<Ending> =>
  perform(run, client, events, {
    ...exportWords(names),
    first,
    rejected,
    told: (event) => (E.isLeft(event) || flags.progress === 'none' ? [] : toldOf(event.right)),
    notes: (progress) => [
      ...findings(progress, flags),
      ...(flags.progress === 'none' ? [] : emptiness(progress, filter)),
    ],
    summary: (end, watch) => {
      const counters = watch.counters()
      const { run: whole } = { ...end.progress }
      const { requests = counters.requests, refused = counters.refused } = whole ?? {}
      return summary(
        { ...counters, requests, refused }, // over all starts
        whole?.ms ?? watch.elapsed(),
        writtenTo(names, whole),
        destinationState(end, names),
      )
    },
  })

/** Messages on how to continue an export that ended early. */
export const exportWords = ({
  name,
  rejectsName,
  files,
  canResume,
}: DestinationNames): Pick<
  Words<ExportProgress>,
  'name' | 'exceptions' | 'rejects' | 'isStream' | 'isOnDisk'
> => ({
  name,
  isStream: !canResume,
  isOnDisk: files !== undefined && !isInBucket(files),
  rejects: ({ run }) =>
    `some rows could not be written${whyRejected(run)}: see ${rejectsName}${canResume ? '; use --restart to read all rows again' : ''}`,
  exceptions: ({ error, progress, hasRead }): Exceptions => {
    const { pages = 0, run } = progress ?? {}
    const isGone = error?._tag === 'FileConflict' && error.isGone
    return {
      isStarted: hasRead,
      next: !canResume ? '' : pages > 0 || run !== undefined ? RESUME : NEXT,
      advice: {
        CheckpointExists: ': use --resume to continue it, or --restart to start over',
        OutputExists: ': use --restart to replace it',
        SpecMismatch: ': use the options that it was started with, or --restart to start over',
        Damaged: RESTART,
        ChecksumMismatch: RESTART,
        TooManyRejects:
          progress === undefined
            ? `: ${MORE_REJECTS}, or use --restart to start over`
            : `${whyRejected(run)}: see ${rejectsName}${run === undefined ? '' : `; ${MORE_REJECTS}`}`,
        FileConflict: `${RESTART}${isGone ? ', or, if it was moved together with its checkpoint, --resume to continue at its new path' : ''}`,
      },
    }
  },
})

const RESUME = 'rerun the same command with --resume to continue'
const RESTART = ': use --restart to start over'
const MORE_REJECTS = 'use --resume with a higher --max-rejects to continue'

/** Number of reasons that are printed; the others are in the manifest. */
const MOST_REASONS = 3

/** Returns the most frequent reasons for rejected rows, in brackets. */
const whyRejected = ({ reasons = [] }: Pick<ManifestRun, 'reasons'> = {}): string => {
  const all = reasons.toSorted((a, b) => b.rows - a.rows)
  const shown = all.slice(0, MOST_REASONS).map(({ reason, rows }) => `${number(rows)}: ${reason}`)
  const more = all.length > MOST_REASONS ? ['...'] : []
  return all.length === 0 ? '' : ` (${[...shown, ...more].join('; ')})`
}

const destinationState = (
  { error, progress, stopped }: Performed<ExportProgress>,
  { canResume }: DestinationNames,
): DestinationState => {
  if (!canResume) return 'written'
  if (progress === undefined) return 'untouched'
  const { pages, run, ended } = progress
  if (isExportError(error) && error._tag !== 'TooManyRejects') {
    return pages === 0 ? 'unkept' : 'written'
  }
  const isOver = error !== undefined || stopped !== undefined
  return isOver && !ended && pages === 0 && run === undefined ? 'untouched' : 'written'
}

/** Returns where the rows of a run are, because an unfinished file has a different name. */
const writtenTo = ({ files, name }: DestinationNames, run: ManifestRun | undefined): string => {
  const [file] = run?.files ?? []
  const isUnfinished = run?.ended === false && file !== undefined
  return isUnfinished && files && files.file !== '' ? fileAt(files, file.path).name : name
}

const REREAD =
  'reading the list from the start, and skipping the rows already written, because its bookmark was rejected'

/** Describes how a run started, and whether it re-reads its list. */
const toldOf = ({ started, reread, rows }: ExportProgress): ReadonlyArray<string> => [
  ...(reread === undefined ? [] : [`${REREAD}: ${reread.message}`]),
  ...(started === undefined ? [] : beginning(started, rows)),
]

const beginning = (
  { resumed, tookOver, removes = [] }: ExportStart,
  rows: number,
): ReadonlyArray<string> => [
  ...(tookOver ? ['took over from a run that ended unexpectedly'] : []),
  ...removes.map((path) => `--restart will remove ${path}`),
  ...(resumed ? [`resumed after ${plural(rows, 'row')}`] : []),
]

/** Describes anomalies found in texts. */
const findings = (
  { loneSurrogates = 0, formulas = 0 }: Partial<ExportProgress> = {},
  flags: Pick<ExportFlags, 'formulas'>,
): ReadonlyArray<string> => [
  ...(loneSurrogates === 0
    ? []
    : [`wrote ${plural(loneSurrogates, 'unpaired surrogate')} as U+FFFD`]),
  ...(formulas === 0
    ? []
    : [
        flags.formulas === 'mask'
          ? `formulas: masked ${plural(formulas, 'text')}`
          : `formulas: a spreadsheet would run ${plural(formulas, 'text')} as formulas; use --formulas mask to put ' before them`,
      ]),
]

/** Returns a line that names the filters if no row matched. */
const emptiness = (
  { rows = 0, rejects = 0, ended = false }: Partial<ExportProgress> = {},
  filter: object,
): ReadonlyArray<string> => {
  const filters = Object.entries(filter)
    .filter(([name]) => name !== 'page_size')
    .map(([name, value]) => `${name}=${value}`)
  return ended && rows + rejects === 0 && filters.length > 0
    ? [`no row matches ${filters.join(', ')}`]
    : []
}
