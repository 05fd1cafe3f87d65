/** The charges that a stream of changes has emitted, as far as it has to remember them. */
import { finalChargeStatuses } from '../codec/Charge.js'
import { fieldsOf } from '../decode/unknown.js'
import { E } from '../fp.js'
import type { Millis } from '../stream/index.js'
import { fingerprint } from './fingerprint.js'
import type { LedgerRow, Seconds } from './Ledger.js'

// model

/** A charge whose status is not final. */
export interface OpenCharge {
  /** Its id. */
  readonly id: string
  /** When it was created, in whole seconds since 1970. */
  readonly created: Seconds
  /** Its status when it was seen last. */
  readonly status: string
  /** When it was changed last, in ms since 1970, where that is known. */
  readonly updated?: Millis
}

/** The part of a charge that is remembered. */
export interface KnownVersion {
  /** Tells its versions apart. */
  readonly version: string
  /** When it was changed last, in ms since 1970; NaN if that is not known. */
  readonly updated: Millis
}

interface KnownOpen extends OpenCharge, KnownVersion {
  readonly updated: Millis
}

/** A final charge. Its id is not kept: 48 bits of a hash of it are enough to know it again. */
interface KnownFinal extends KnownVersion {
  /** It is remembered until the stream is so far and the lookback further. */
  readonly at: Seconds
}

/** Characters of the version of a charge, and of the key of a final one: 36 and 48 bits. */
export const VERSION_LENGTH = 6
export const KEY_LENGTH = 8

// functions

/** Returns whether a status may change by itself. A status that is not of the interface may. */
export const isOpenStatus = (status: string): boolean =>
  !finalChargeStatuses.some((final) => final === status)

/** Returns the version of a row: rows with the same one are the same to a stream. */
export const versionOf = ({ raw, row, status }: LedgerRow<unknown>): string => {
  const { amount, fee, updated_at } = fieldsOf(raw)
  const text = E.isRight(row)
    ? `${status} ${String(updated_at)} ${String(amount)} ${String(fee)}`
    : (JSON.stringify(raw) ?? row.left.message)
  return fingerprint(text, VERSION_LENGTH)
}

/** Charges that are open, and final ones of the lookback. */
export class KnownCharges {
  readonly open = new Map<string, KnownOpen>()
  /** By their keys. */
  readonly final = new Map<string, KnownFinal>()

  find(id: string): KnownVersion | undefined {
    return this.open.get(id) ?? this.final.get(keyOf(id))
  }

  /** Remembers a row as it was emitted, by a stream that is so far. */
  set({ id, created, status, updated }: LedgerRow<unknown>, version: string, upTo: Seconds): void {
    const wasOpen = this.open.delete(id)
    if (isOpenStatus(status)) {
      this.final.delete(keyOf(id))
      this.open.set(id, { id, created, status, version, updated })
    } else {
      // one that has just become final may still be in a list that lags
      const at = wasOpen ? Math.max(created, upTo) : created
      this.final.set(keyOf(id), { at, version, updated })
    }
  }

  /** Forgets a charge that the service has no more. */
  delete(id: string): void {
    this.open.delete(id)
  }

  /** Forgets final charges from before a time. */
  forget(before: Seconds): void {
    for (const [key, { at }] of this.final) if (at < before) this.final.delete(key)
  }
}

const keyOf = (id: string): string => fingerprint(id, KEY_LENGTH)
