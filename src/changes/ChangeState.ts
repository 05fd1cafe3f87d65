/**
 * The state of a stream of changes as text. It has the id, status and version of each open charge; and, for each final charge
 * within the lookback, a hash of its id, and its version. Sorted by time, so that a time takes only a few characters.
 *
 *     open     2s1 kVx3_QAchg_1 pQ91aaBchg_2;4 0A-dd1Achg_3;     seconds since the one before, in base 36; then, for each
 *                                                                charge of that second, version, status and id
 *     final    2s1 pQ91aaBzk3hGh_;                               the same, with versions and keys of a fixed length
 */
import * as t from 'io-ts'
import { ChargeStatus } from '../codec/Charge.js'
import { KEY_LENGTH, KnownCharges, VERSION_LENGTH } from './KnownCharges.js'
import type { Seconds } from './Ledger.js'

const state = t.intersection([
  t.type({
    version: t.literal(1),
    /** Charges created before this time, in seconds since 1970, are emitted only while they are open. */
    floor: t.number,
    /** Charges created up to this time, in whole seconds since 1970, have been emitted. */
    upTo: t.number,
    /** Number of changes emitted. */
    emitted: t.number,
    /** Statuses of the open charges. */
    statuses: t.readonlyArray(t.string),
    open: t.string,
    final: t.string,
  }),
  t.partial({
    /** Present during the first poll. Final charges created before this time are not emitted. */
    baseline: t.number,
    /** If set, open charges created before `baseline` are not emitted either, but only remembered. */
    silent: t.literal(true),
  }),
])

/** Stored position of a stream of changes. */
export interface ChangeState extends t.TypeOf<typeof state> {}

export const ChangeState: t.Type<ChangeState, unknown, unknown> = state

/** Statuses whose lists are read in each poll. */
export const openStatuses: ReadonlyArray<string> = Object.keys(ChargeStatus.keys).filter(
  (status) => status !== 'SETTLED' && status !== 'FAILED',
)

// text

/** Encodes the charges that a stream knows. */
export const packed = ({
  open,
  final,
}: KnownCharges): Pick<ChangeState, 'open' | 'final' | 'statuses'> => {
  const statuses = [...new Set([...open.values()].map(({ status }) => status))]
  const opened = [...open.values()].map(({ id, created, status, version }) => ({
    at: created,
    // one character per status, which is enough for any number of statuses
    text: ` ${version}${String.fromCharCode(A + statuses.indexOf(status))}${escaped(id)}`,
  }))
  const finished = [...final].map(([key, { at, version }]) => ({ at, text: version + key }))
  return { statuses, open: bySecond(opened), final: bySecond(finished) }
}

/** Decodes the result of `packed`. */
export const unpacked = ({
  open,
  final,
  statuses,
}: Pick<ChangeState, 'open' | 'final' | 'statuses'>): KnownCharges => {
  const charges = new KnownCharges()
  for (const { at, text } of secondsOf(open)) {
    for (const one of text.split(' ')) {
      const version = one.slice(0, VERSION_LENGTH)
      const status = statuses[one.charCodeAt(VERSION_LENGTH) - A] ?? ''
      const id = unescaped(one.slice(VERSION_LENGTH + 1))
      charges.open.set(id, { id, created: at, status, version, updated: Number.NaN })
    }
  }
  const length = VERSION_LENGTH + KEY_LENGTH
  for (const { at, text } of secondsOf(final)) {
    for (let i = 0; i < text.length; i += length) {
      const version = text.slice(i, i + VERSION_LENGTH)
      const key = text.slice(i + VERSION_LENGTH, i + length)
      charges.final.set(key, { at, version, updated: Number.NaN })
    }
  }
  return charges
}

/** Escapes an id, which is arbitrary text from the service and may contain the separators used here. */
const escaped = (id: string): string => id.replace(/[% ;]/g, encodeURIComponent)
const unescaped = (text: string): string => text.replace(/%(25|20|3B)/g, decodeURIComponent)

/** The code of the letter A. */
const A = 65

interface Timed {
  readonly at: Seconds
  readonly text: string
}

const bySecond = (rows: ReadonlyArray<Timed>): string => {
  let shown = ''
  let last = Number.NaN
  for (const { at, text } of [...rows].sort((one, other) => one.at - other.at)) {
    if (at !== last) {
      const passed = Number.isNaN(last) ? at : at - last
      shown += `${shown === '' ? '' : ';'}${passed.toString(36)}${text.startsWith(' ') ? '' : ' '}`
    }
    shown += text
    last = at
  }
  return shown
}

/** Reads the seconds, each with the text of its rows. */
const secondsOf = (shown: string): ReadonlyArray<Timed> => {
  let at = 0
  return shown === ''
    ? []
    : shown.split(';').map((second) => {
        const end = second.indexOf(' ')
        at += Number.parseInt(second.slice(0, end), 36)
        return { at, text: second.slice(end + 1) }
      })
}
