/** Describes proofs (comparisons of counts): the proven rows, and the places where counts differ. */
import type { Proof, SyncDifference, SyncProof } from '../export/index.js'
import { iso } from '../export/transfer/Manifest.js'
import { DAY, number, plural } from '../report/text.js'

export const isProven = ({
  differences,
  uncountable,
}: Pick<Proof, 'differences' | 'uncountable'>): boolean =>
  uncountable === undefined && differences.length === 0

/** Describes the number of proven rows, the time up to which rows are proven, and repairs. */
export const provenText = ({
  until,
  rows,
  late,
  gone,
  parents,
  settled = 0,
  readSince,
}: SyncProof): string => {
  const facts = [
    plural(rows, 'row') +
      (parents === undefined
        ? ''
        : ` of ${number(parents)} ${parents === 1 ? 'batch' : 'batches'}`),
    ...(late === 0 ? [] : [`${plural(late, 'late row')} found`]),
    ...(gone === 0 ? [] : [`${number(gone)} no longer at the service`]),
    ...(settled === 0 ? [] : [`${number(settled)} settled or failed since`]),
  ].join(', ')
  const days = readSince === undefined ? 0 : Math.ceil((until * 1_000 - readSince) / DAY)
  const read =
    readSince === undefined
      ? ''
      : `; every row last read at most ${plural(Math.max(1, days), 'day')} ago`
  return `row counts match the service up to ${iso(until * 1_000)} (${facts})${read}`
}

export const differenceText = ({
  parent,
  status,
  from,
  to,
  here,
  there,
}: SyncDifference): string => {
  const counts =
    there === undefined
      ? 'the count at the service is unknown, because it does not serve pages that deep'
      : `${number(here)} here, ${number(there)} at the service`
  if (parent !== undefined) {
    const says = there === undefined ? 'cannot be read' : `says ${number(there)}`
    return `items of batch ${parent}: ${number(here)} were listed, but the batch ${says}`
  }
  const span = `${from > 0 ? iso(from * 1_000) : 'the start'} to ${iso(to * 1_000)}`
  return `${status ?? 'all'} rows from ${span}: ${counts}`
}

export const whyNotProven = (proof: SyncProof): string => {
  const { differences, uncountable, unprovenNights = 0 } = proof
  const stuck = isStuck(proof)
    ? ` (for ${number(unprovenNights)} nights in a row); rerun with --sweep now to re-read all rows; if that does not help, sync into another table or folder, or send these counts to the platform’s support`
    : ''
  if (uncountable !== undefined)
    return `cannot count the rows at the service: ${uncountable}${stuck}`
  const [first] = differences
  if (first === undefined) return ''
  const more =
    differences.length > 1 ? `, and ${plural(differences.length - 1, 'more difference')}` : ''
  return `row counts do not match: ${differenceText(first)}${more}${stuck}`
}

/** Returns true if the same range could not be proven on three consecutive nights. Another run will then not help. */
export const isStuck = ({ unprovenNights = 0 }: SyncProof): boolean => unprovenNights >= 3
