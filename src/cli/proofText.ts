/** Proofs in words: what was proven, and where counts differ. */
import type { Proof, SyncDifference, SyncProof } from '../export/index.js'
import { iso } from '../export/transfer/Manifest.js'
import { DAY, number, plural } from '../report/text.js'

export const isProven = ({
  differences,
  uncountable,
}: Pick<Proof, 'differences' | 'uncountable'>): boolean =>
  uncountable === undefined && differences.length === 0

/** Says up to when rows were proven, how many, and what was put right. */
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
    ...(late === 0 ? [] : [`${plural(late, 'late one')} found`]),
    ...(gone === 0 ? [] : [`${number(gone)} gone`]),
    ...(settled === 0 ? [] : [`${number(settled)} settled or failed since`]),
  ].join(', ')
  const days = readSince === undefined ? 0 : Math.ceil((until * 1_000 - readSince) / DAY)
  const read =
    readSince === undefined ? '' : `; every row read within ${plural(Math.max(1, days), 'day')}`
  return `proven up to ${iso(until * 1_000)}: ${facts}${read}`
}

/** Says which stretch differs, and by how much. */
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
      ? 'the service does not page as deep'
      : `${number(here)} here, ${number(there)} at the service`
  if (parent !== undefined) {
    const says = there === undefined ? 'it cannot be read' : `it says ${number(there)}`
    return `items of batch ${parent}: ${number(here)} were listed, ${says}`
  }
  const span = `${from > 0 ? iso(from * 1_000) : 'the beginning'} to ${iso(to * 1_000)}`
  return `${status ?? 'all'} from ${span}: ${counts}`
}

/** Says why rows are not proven. */
export const whyNotProven = ({ differences, uncountable }: SyncProof): string => {
  if (uncountable !== undefined) return `the service cannot be counted: ${uncountable}`
  const [first] = differences
  if (first === undefined) return ''
  const more = differences.length > 1 ? `, and in ${number(differences.length - 1)} more` : ''
  return `counts differ: ${differenceText(first)}${more}`
}
