/** The facts of a sync that its report shows beside the charts. */
import { resolve } from 'node:path'
import { checkPaths } from '../../export/file/checkPaths.js'
import type { SyncProgress } from '../../export/index.js'
import { isExportError } from '../../export/index.js'
import { destinationName, tableKind } from '../../export/sync/SyncOptions.js'
import { withoutUndefined } from '../../fp.js'
import { number } from '../../report/text.js'
import { flagOf } from '../connection.js'
import { reportFacts } from '../export/reportFacts.js'
import { EXIT_COMPLETE, UsageError } from '../output.js'
import type { ExportCounters } from '../progress/ExportCounters.js'
import type { ReportFacts } from '../report/report.js'

/** A sync that has ended. */
export interface EndedSync {
  /** The name of its list. */
  readonly list: string
  readonly to: string
  /** Database: its table. */
  readonly table: string
  readonly progress: SyncProgress | undefined
  readonly counters: ExportCounters
  readonly status: number
  readonly reason?: string | undefined
  /** In ms since 1970. */
  readonly began: number
  /** In ms. */
  readonly elapsed: number
  /** Outcome in words: `complete and proven up to …`. */
  readonly outcome: string
  readonly summary: string
  readonly version: string
}

export const syncFacts = (ended: EndedSync): ReportFacts => {
  const { list, to, table, progress, counters, status, reason, outcome } = ended
  const isTable = tableKind(to) !== undefined
  const { rereads, proof, run } = progress ?? {}
  const facts = reportFacts({
    prepared: { title: `Sync of ${list}`, query: run?.spec.query ?? {} },
    ...{ run, counters, conclusion: { status, ...withoutUndefined({ reason }) } },
    ...{ began: ended.began, ms: ended.elapsed, summary: ended.summary, version: ended.version },
  })
  return {
    ...facts,
    isComplete: status === EXIT_COMPLETE,
    verdict: `${outcome[0]?.toUpperCase()}${outcome.slice(1)}`,
    query: [
      ['kept in', `${destinationName(to)}${isTable ? `, table ${table}` : ''}`],
      ...facts.query,
    ],
    counts: [
      ...facts.counts,
      ...(rereads === undefined ? [] : [['read again', number(rereads.done)] as const]),
      ...(proof === undefined
        ? []
        : ([
            ['late ones found', number(proof.late)],
            ['gone', number(proof.gone)],
          ] as const)),
    ],
    ...(isTable ? { files: undefined } : {}),
  }
}

/** Rejects with a `UsageError` where the report cannot be written, or would replace the database. */
export const checkReport = async (report: string, to: string): Promise<void> => {
  if (tableKind(to) === 'sqlite' && resolve(report) === resolve(to)) {
    throw new UsageError(`--report: ${report} is the database: name another file`)
  }
  await checkPaths({ out: undefined, report }, flagOf).catch((error: unknown) => {
    if (!isExportError(error)) throw error
    throw new UsageError(error.message)
  })
}
