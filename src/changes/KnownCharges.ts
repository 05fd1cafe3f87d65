/** The emitted charges that a stream of changes must remember. */
import { finalChargeStatuses } from '../codec/Charge.js'
import { fieldsOf } from '../decode/unknown.js'
import { E } from '../fp.js'
import type { Millis } from '../stream/index.js'
import { fingerprint } from './fingerprint.js'
import type { LedgerRow, Seconds } from './Ledger.js'

/** A charge whose status is not final. */
export interface OpenCharge {
  /** The id of the charge. */
  readonly id: string
  /** Time of creation, in whole seconds since 1970. */
  readonly created: Seconds
  /** Its last known status. */
  readonly status: string
  /** Time of the last change, in ms since 1970, if known. */
  readonly updated?: Millis
}

/** The part of a charge that is remembered. */
export interface KnownVersion {
  /** Hash of the version. */
  readonly version: string
  /** Time of the last change, in ms since 1970; `NaN` if unknown. */
  readonly updated: Millis
}

interface KnownOpen extends OpenCharge, KnownVersion {
  readonly updated: Millis
}

/** A final charge. Its id is not kept, because a 48-bit hash is enough to recognize it. */
interface KnownFinal extends KnownVersion {
  /** The charge is remembered until the stream's position is one lookback past this time. */
  readonly at: Seconds
}

/** Lengths in characters of a charge's version (36 bits) and of a final charge's key (48 bits). */
export const VERSION_LENGTH = 6
export const KEY_LENGTH = 8

/** Returns true if a status can still change. This includes undocumented statuses. */
export const isOpenStatus = (status: string): boolean =>
  !finalChargeStatuses.some((final) => final === status)

/** Returns the version of a row. A stream treats rows with equal versions as equal. */
export const versionOf = ({ raw, row, status }: LedgerRow<unknown>): string => {
  const { amount, fee, updated_at } = fieldsOf(raw)
  const text = E.isRight(row)
    ? `${status} ${String(updated_at)} ${String(amount)} ${String(fee)}`
    : (JSON.stringify(raw) ?? row.left.message)
  return fingerprint(text, VERSION_LENGTH)
}

/** Open charges, and final charges within the lookback. */
export class KnownCharges {
  readonly open = new Map<string, KnownOpen>()
  /** Final charges by key. */
  readonly final = new Map<string, KnownFinal>()

  find(id: string): KnownVersion | undefined {
    return this.open.get(id) ?? this.final.get(keyOf(id))
  }

  /** Remembers an emitted row, and the position of the stream when it was emitted. */
  set({ id, created, status, updated }: LedgerRow<unknown>, version: string, upTo: Seconds): void {
    const wasOpen = this.open.delete(id)
    if (isOpenStatus(status)) {
      this.final.delete(keyOf(id))
      this.open.set(id, { id, created, status, version, updated })
    } else {
      // a lagging list may still show a charge that has only just become final
      const at = wasOpen ? Math.max(created, upTo) : created
      this.final.set(keyOf(id), { at, version, updated })
    }
  }

  /** Forgets a charge that the service no longer has. */
  delete(id: string): void {
    this.open.delete(id)
  }

  /** Forgets final charges that date from before a time. */
  forget(before: Seconds): void {
    for (const [key, { at }] of this.final) if (at < before) this.final.delete(key)
  }
}

const keyOf = (id: string): string => fingerprint(id, KEY_LENGTH)
