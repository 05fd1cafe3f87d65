import type { Seconds } from '../../changes/Ledger.js'
import type { CountedTable } from '../../changes/proof/ProofTable.js'
import { SETTLING } from '../sync/proveRows.js'
import type { ExportSpec } from '../transfer/ExportSpec.js'
import type { Upkeep } from '../transfer/TransferState.js'

/** Rows that a sync or an export has written, opened for reading only. */
export interface Copy {
  /** Names it in messages, without secrets. */
  readonly name: string
  /** The list that it is of. */
  readonly spec: ExportSpec
  readonly counted: CountedTable
  /** Rows created from then on are there; `-Infinity`: all. */
  readonly from: Seconds
  /** Rows created up to then should be there, that second included. */
  readonly until: Seconds
  /** Only rows of this status are there. */
  readonly only?: string
  readonly close: () => Promise<void>
}

/** Returns the times that a sync has reached. What came late in its last hour is left to its next run. */
export const spanOfSync = ({
  since = 0,
  upTo = Number.POSITIVE_INFINITY,
}: Pick<Upkeep, 'since' | 'upTo'>): Pick<Copy, 'from' | 'until'> => ({
  from: since <= 0 ? Number.NEGATIVE_INFINITY : Math.floor(since / 1_000),
  until: Math.floor(upTo / 1_000) - SETTLING,
})
