/** Advice at the end: resuming is advised only where it helps. */
import { lastValueFrom } from 'rxjs'
import { expect, it } from 'vitest'
import { exportWords } from '../../../src/cli/export/performExport.js'
import { conclusion } from '../../../src/cli/perform.js'
import {
  type ExportError,
  type ExportProgress,
  isExportError,
  type ManifestRun,
} from '../../../src/export/index.js'
import type { AnyFailure, Truncated } from '../../../src/index.js'
import { type Memory, memory } from '../../export/transfer/memory.js'
import {
  away,
  exportOf,
  good,
  type Item,
  listOf,
  unfinished,
} from '../../export/transfer/playing.js'

const run: ManifestRun = {
  complete: false,
  missing: [],
  ended: false,
  spec: { resource: 'items', account: 'me', query: {}, format: {}, destination: 'items.ndjson' },
  started: '2026-01-01T00:00:00Z',
  finished: '2026-01-01T00:00:01Z',
  ms: 1_000,
  starts: 1,
  rows: 1,
  rejects: 0,
  repeated: 0,
  requests: 1,
  refused: 0,
  slices: [],
  drift: [],
  files: [],
}

const output = { name: 'x', rejectsName: 'y', files: undefined, canResume: true }

/** The end of an export after some progress. */
const ended = (
  error: AnyFailure | ExportError,
  progress: ExportProgress = { rows: 1, rejects: 0, pages: 1, ended: false, run },
) =>
  conclusion(
    { error, progress, hasRead: progress.pages > 0, stopped: undefined },
    exportWords(output),
  )

const truncated = (why: Pick<Truncated, 'guard' | 'cause'>): Truncated => ({
  _tag: 'Truncated',
  endpoint: 'GET /api/v1/things',
  attempts: 0,
  position: { page: 'a' },
  pages: 1,
  message: 'it went round',
  ...why,
})

const reason = (failure: Truncated): string | undefined => {
  const { status, reason } = ended(failure)
  expect(status).toBe(1)
  return reason
}

it.each([
  ...(['Repeated', 'SameRows', 'OutsideFilter', 'RowsMissing', 'Unordered'] as const),
  'OrderChanged' as const,
])('%s comes again', (guard) => {
  const again = 'it went round: a retry will fail in the same way unless the list has changed'
  expect(reason(truncated({ guard }))).toBe(again)
  expect(reason(truncated({ cause: truncated({ guard }) }))).toBe(again) // a second of a snapshot
})

it.each(['OnlyEmpty', 'TooLong', 'Moved'] as const)('after %s there may be more', (guard) => {
  expect(reason(truncated({ guard }))).toBe(
    'it went round; rerun the same command with --resume to continue',
  )
})

const refused = (status: number, code: string): AnyFailure => ({
  ...{ _tag: 'Refused', endpoint: 'GET /api/v1/things', attempts: 1 },
  ...{ status, code, message: `GET /api/v1/things: ${status} ${code}` },
})

it.each<readonly [string, AnyFailure, number]>([
  ['there is no connection', away, 1],
  ['it is being worked on', refused(409, 'request_pending'), 1],
  ['it is locked', refused(423, 'locked'), 1],
  ['it may not be read', refused(403, 'forbidden'), 2],
])('a list that could not begin, because %s, says whether to try again', (_, cause, expected) => {
  for (const failure of [cause, truncated({ cause })]) {
    const progress = { rows: 0, rejects: 0, pages: 0, ended: false }
    expect(ended(failure, progress).status).toBe(expected)
  }
})

/** The end of an export to whose file something is done while it is written. */
const disturbed = async (disturb: (files: Memory, path: string) => unknown) => {
  const files = memory()
  const key = ({ n, id }: Item): string => {
    if (n === 1) disturb(files, unfinished(files))
    return id
  }
  const error = await lastValueFrom(exportOf(files, listOf([good(0), good(1)]), { key })).catch(
    (error: unknown) => error,
  )
  if (!isExportError(error)) throw new Error('no conflict')
  return ended(error)
}

it('a missing file may have been moved', async () => {
  const gone = await disturbed((files, path) => files.rm(path, { force: true }))
  expect(gone.status).toBe(2)
  expect(gone.reason).toMatch(
    /was removed or moved while it was being written: use --restart to start over, or, if it was moved together with its checkpoint, --resume to continue at its new path$/,
  )
  const changed = await disturbed((files, path) => files.put(path, 'more'))
  expect(changed.reason).toMatch(/ while it was being written: use --restart to start over$/)
})
