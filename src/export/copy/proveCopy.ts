/** The proof of a copy that was made before: a table, a folder, or the files of an export. */
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
import type { ReachOptions } from '../storage/openFiles.js'
import { settledBy } from '../sync/proveRows.js'
import { destinationName, type TimedSource, tableKind } from '../sync/SyncOptions.js'
import { specOf } from '../transfer/ExportSpec.js'
import { waitsOf } from '../transfer/runTransfer.js'
import { type Copy, tableCopy } from './Copy.js'
import { filesCopy } from './filesCopy.js'

// model

/** Which copy is compared with the service. */
export interface ProveCopyOptions extends ReachOptions {
  /**
   * `NAME.sqlite`, `NAME.db` or `postgres://HOST/DATABASE`, as a sync has written it; or a file, a folder or a manifest of
   * an export or a sync, also at `s3://`.
   */
  readonly copy: string
  /** Databases: the table. Default `charges`. */
  readonly table?: string | undefined
  /** A name for the account, as it was given to the sync or export. Default: base URL and client id. */
  readonly account?: string | undefined
}

/** Result of a proof of a copy, or why there is none. */
export type CopyProof = E.Either<ExportError | AnyFailure, Proof>

const rules: OptionsTable<ProveCopyOptions> = {
  copy: required(is.nonEmptyString),
  table: is.nonEmptyString,
  account: is.nonEmptyString,
  files: is.withMethods('functions as those of node:fs/promises', 'open'),
  env: is.object('variables by their names'),
  timer: is.rxScheduler(),
}

// constructors

/**
 * Counts a copy against the service, up to the time that the copy says it has reached, and writes nothing: see
 * `Proof.differences`. Emits once. Reads the files of an export whole; a table is asked for counts. Cold: each subscription
 * is a proof. Throws an `InvalidOption` at once for an option that cannot work.
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
  if (ledger === undefined) throw new InvalidOption('source', 'payments.charges, with its ledger')
  const { timer = asyncScheduler } = options
  const name = tableKind(options.copy) === undefined ? options.copy : destinationName(options.copy)
  const open = opener(options, timer, waitsOf(source.snapshot({}).describe(), name, timer))
  return defer(() => {
    const stop = new ReplaySubject<void>(1)
    const proof = async (): Promise<CopyProof> => {
      const copy = await open()
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

/** Returns why there is no proof; throws what is a bug. */
const expected = (error: unknown): ExportError | AnyFailure => {
  if (isExportError(error)) return error
  if (error instanceof PollInterrupted && error.failure !== undefined) return error.failure
  throw error
}

const opener = (
  { copy, table = 'charges', account: _, ...reach }: ProveCopyOptions,
  timer: SchedulerLike,
  waits: Waits,
): (() => Promise<Copy>) => {
  const kind = tableKind(copy)
  return kind === undefined
    ? () => filesCopy(copy, { ...reach, waits })
    : () => tableCopy(kind, copy, table, { timer, waits })
}

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
        ? `is of ${spec.resource}: only charges can be counted`
        : 'is of another account (base URL, client id, login-as, on-behalf-of)'
    throw exportError('SpecMismatch', `${name} ${why}`, { path: name, field })
  }
}
