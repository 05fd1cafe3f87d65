/** `export charges --queue`: cuts a snapshot into slices, and waits for the workers that export them. */

import { resolve } from 'node:path'
import { concatMap, type Observable, of, takeUntil } from 'rxjs'
import type { Client } from '../../client/createClient.js'
import {
  type ExportEvent,
  type PlanSlicesOptions,
  planSlices,
  type SliceSource,
} from '../../export/index.js'
import { isFolder } from '../../export/storage/openFiles.js'
import { E, withoutUndefined } from '../../fp.js'
import { plural } from '../../report/text.js'
import { isS3 } from '../../store/S3Location.js'
import type { Connection } from '../connection.js'
import { exportClient } from '../export/exportClient.js'
import type { ExportFlags } from '../export/exportFlags.js'
import { performExport } from '../export/performExport.js'
import { UsageError } from '../output.js'
import type { CommandRun, Ending } from '../runCommand.js'
import { openQueue, stoppedEnding } from './openQueue.js'

interface QueuedExport {
  readonly out: string
  readonly flags: ExportFlags
  readonly connection: Connection
  readonly source: (client: Client) => SliceSource<unknown>
}

/** Rejects with a `UsageError`. */
export const exportOnQueue = async (
  run: CommandRun,
  { out: given, flags, connection, source: sourceOf }: QueuedExport,
): Promise<Ending> => {
  const { terminal, options } = run
  if (!isFolder(given)) {
    throw new UsageError('--out should be a folder with --queue: DIR/ or s3://BUCKET/PREFIX/')
  }
  const out = isS3(given) ? given : `${resolve(given)}/` // for workers in other folders
  const { queue: url, plainRedis: isPlain } = flags
  const queue = await openQueue({ ...options, url, isPlain })
  if (queue === undefined) return stoppedEnding(run)
  try {
    const account = sourceOf(exportClient(terminal, flags, connection)).describe()
    const quota = flags.limits ? queue.quotaFor(account) : undefined
    const client = exportClient(terminal, flags, connection, quota)
    const source = sourceOf(client)
    const { format, compress, columns, amounts, formulas, slices, restart, maxRejects } = flags
    const { stop, ...shared } = options
    const planning = planSlices(source, {
      ...withoutUndefined({ format, compress, columns, amounts, formulas, slices }),
      ...{ ...shared, out, restart },
    } satisfies PlanSlicesOptions)
    const events: Observable<ExportEvent> = planning.pipe(
      concatMap((plan): Observable<ExportEvent> => {
        if (E.isLeft(plan)) return of(plan)
        const many = plural(plan.right.slices.length, 'slice')
        run.say(`${many} for the workers at ${queue.host}; the same command waits for them again`)
        const { connection } = queue
        return queue.functions.exportWithWorkers(plan.right, {
          ...{ ...shared, out, connection, maxRejects, onWait: run.say },
        })
      }),
      takeUntil(stop),
    )
    return await performExport(run, flags, {
      ...{ client, events, query: source.describe().query, title: 'Export of charges', name: out },
      rejectsName: `${out}_incoming/*.rejects.ndjson`,
      ...{ canResume: true, canAdd: true, sinceLast: false },
    })
  } finally {
    queue.close()
  }
}
