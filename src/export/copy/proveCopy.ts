/** Proves that an existing copy is complete: a table, a folder, or the files of an export. */
import {
  asyncScheduler,
  catchError,
  defer,
  finalize,
  type Observable,
  of,
  ReplaySubject,
  type SchedulerLike,
} from 'rxjs'
import { asking, PollInterrupted } from '../../changes/Asking.js'
import { compare, type Proof } from '../../changes/proof/prove.js'
import { finalChargeStatuses } from '../../codec/Charge.js'
import { E, withoutUndefined } from '../../fp.js'
import type { AnyFailure } from '../../http/Failure.js'
import {
  checkArgument,
  checkOptions,
  InvalidOption,
  is,
  type OptionsTable,
  required,
} from '../../options/index.js'
import type { Waits } from '../../store/Waits.js'
import { type ExportError, exportError, isExportError } from '../ExportError.js'
import { COPIES, type Location, locationOf } from '../location/Location.js'
import * as rule from '../rules.js'
import type { ReachOptions } from '../storage/openFiles.js'
import { settledBy } from '../sync/proveRows.js'
import type { TimedSource } from '../sync/SyncOptions.js'
import { specOf } from '../transfer/ExportSpec.js'
import { waitsOf } from '../transfer/runTransfer.js'
import { type Copy, tableCopy } from './Copy.js'
import { filesCopy } from './filesCopy.js'

/** The copy to compare with the service. */
export interface ProveCopyOptions extends ReachOptions {
  /**
   * `NAME.sqlite`, `NAME.db` or `postgres://HOST/DATABASE`, as written by a sync; or a file, folder or manifest of an export or a
   * sync, also at `s3://`.
   */
  readonly copy: string
  /** Databases: the table. Default `charges`. */
  readonly table?: string | undefined
  /** The `account` option of the sync or export. Default: base URL and client id. */
  readonly account?: string | undefined
}

/** Result of a proof (the comparison of a copy's counts with the service), or why it failed. */
export type CopyProof = E.Either<ExportError | AnyFailure, Proof>

const rules: OptionsTable<ProveCopyOptions> = {
  copy: required(is.nonEmptyString),
  table: is.nonEmptyString,
  account: is.nonEmptyString,
  ...rule.reach,
}

/**
 * Compares row counts of a copy with those of the service, up to the time that the copy claims to cover. Read-only. Emits one
 * proof: see `Proof.differences`. Reads the files of an export in full; queries a table for counts. Cold: each subscription is
 * a new proof. Throws an `InvalidOption` immediately for an invalid option.
 */
export const proveCopy = <A>(
  source: TimedSource<A>,
  given: ProveCopyOptions,
): Observable<CopyProof> => {
  checkArgument('source', source, {
    accepts: (u) => is.withMethods('', 'snapshot').accepts(u),
    expected: 'payments.charges',
  })
  const options = checkOptions(given, rules)
  const { ledger } = source
  if (ledger === undefined) throw new InvalidOption('source', 'payments.charges of a client')
  const { timer = asyncScheduler } = options
  const at = locationOf('copy', options.copy, COPIES)
  const waits = waitsOf(source.snapshot({}).describe(), at.name, timer)
  return defer(() => {
    const stop = new ReplaySubject<void>(1)
    const proof = async (): Promise<CopyProof> => {
      const copy = await opened(at, options, { timer, waits })
      try {
        checkSame(copy, source, options.account)
        const compared = await compare(asking(ledger, stop), copy.counted, {
          from: copy.from,
          until: Math.min(copy.until, settledBy(ledger)),
          final: finalChargeStatuses,
          ...withoutUndefined({ only: copy.only }),
        })
        return E.right(compared)
      } finally {
        await copy.close()
      }
    }
    return defer(proof).pipe(
      catchError((error: unknown) => of(E.left(expected(error)))),
      finalize(() => stop.next()),
    )
  })
}

/** Returns why there is no proof; rethrows bugs. */
const expected = (error: unknown): ExportError | AnyFailure => {
  if (isExportError(error)) return error
  if (error instanceof PollInterrupted && error.failure !== undefined) return error.failure
  throw error
}

const opened = (
  at: Location & { readonly kind: (typeof COPIES)[number] },
  { table = 'charges', files, env }: ProveCopyOptions,
  watched: { readonly timer: SchedulerLike; readonly waits: Waits },
): Promise<Copy> =>
  at.kind === 'sqlite' || at.kind === 'postgres'
    ? tableCopy(at, table, watched)
    : filesCopy(at, { files, env, ...watched })

/** Throws a `SpecMismatch` for a copy of another list, or of another account. */
const checkSame = (
  { name, spec }: Copy,
  source: TimedSource<unknown>,
  account: string | undefined,
): void => {
  const format = { name: 'ndjson', compress: 'none', columns: [] } as const
  const wanted = specOf(source.snapshot({}).describe(), format, { account, written: {} }, '.')
  for (const field of ['resource', 'account'] as const) {
    if (spec[field] === wanted[field]) continue
    const why =
      field === 'resource'
        ? `is a copy of ${spec.resource}, but only charges can be counted`
        : 'belongs to another account (base URL, client id, login-as, on-behalf-of)'
    throw exportError('SpecMismatch', `${name} ${why}`, { path: name, field })
  }
}
