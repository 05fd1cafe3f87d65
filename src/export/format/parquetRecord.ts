/**
 * Metadata for continuing an unfinished Parquet file. The metadata of row groups is at the end of a file, so each flush appends
 * a record with the metadata of the groups since the previous record:
 *
 *     PAR1 | groups | record | groups | record |  ...  | groups | footer | PAR1
 *                       ^--------'  '-- a mark
 *
 * Each record points to the previous one and names the columns of its groups; the footer names them once for all groups.
 * Readers use the footer and never see records. An unfinished file does not end with PAR1, so no reader mistakes the first rows
 * for the whole file.
 */
import { deserialize, serialize } from 'node:v8'
import type { RowGroup } from 'hyparquet'
import { fieldsOf, isRecord } from '../../decode/unknown.js'
import { checksumMismatch } from '../../store/StoreError.js'
import type { Kept } from './Format.js'

/** The last bytes of a record. */
const MAGIC = 0x4b52_414d // MARK

/** Size of a record's tail, in bytes: end offset of the previous record, length, magic. */
const TAIL = 16

/** Consecutive row groups. */
export interface RowGroups {
  /** The columns: names with types. */
  readonly columns: ReadonlyArray<string>
  readonly groups: ReadonlyArray<RowGroup>
}

/**
 * Copies the arrays within a value. V8 serializes an array in one of two ways, depending on how it was allocated, but equal
 * rows should give equal bytes.
 */
const packed = (u: unknown): unknown => {
  if (Array.isArray(u)) {
    const copy: Array<unknown> = []
    for (const one of u) copy.push(packed(one))
    return copy
  }
  return isPlain(u)
    ? Object.fromEntries(Object.entries(u).map(([name, value]) => [name, packed(value)]))
    : u
}

/** Returns false for bytes and times, which are written unchanged. */
const isPlain = (u: unknown): u is Readonly<Record<string, unknown>> =>
  isRecord(u) && Object.getPrototypeOf(u) === Object.prototype

/** Creates a record. `before`: the offset at which the previous record ends; 0 for none. */
export const recordOf = ({ columns, groups }: RowGroups, before: number): Uint8Array => {
  // supports bigints and bytes, unlike JSON
  const body = serialize(packed({ columns, groups }))
  const tail = new DataView(new ArrayBuffer(TAIL))
  tail.setFloat64(0, before, true)
  tail.setUint32(8, body.length, true)
  tail.setUint32(12, MAGIC, true)
  return Buffer.concat([body, new Uint8Array(tail.buffer)])
}

/** Reads row groups up to a mark; `undefined` if no record ends there. Throws `ChecksumMismatch` for a damaged one. */
export const groupsUpTo = async ({
  path,
  mark,
  read,
}: Kept): Promise<ReadonlyArray<RowGroups> | undefined> => {
  const found: Array<RowGroups> = []
  for (let end = mark.bytes; end > 0; ) {
    if (end < TAIL) return undefined
    const bytes = await read(end - TAIL, TAIL)
    const tail = new DataView(bytes.buffer, bytes.byteOffset, TAIL)
    const length = tail.getUint32(8, true)
    if (tail.getUint32(12, true) !== MAGIC || length > end - TAIL) return undefined
    const groups = deserialized(path, await read(end - TAIL - length, length))
    if (!isGroups(groups)) return undefined
    found.unshift(groups)
    const before = tail.getFloat64(0, true)
    if (!(before >= 0 && before < end)) return undefined
    end = before
  }
  return found
}

/** Deserializes a record. Throws a `ChecksumMismatch` if another engine or a later version of V8 wrote it. */
const deserialized = (path: string, body: Uint8Array): unknown => {
  try {
    return deserialize(body)
  } catch {
    throw checksumMismatch(path, 'was started by another runtime, or by a newer version of it')
  }
}

const isGroup = (u: unknown): u is RowGroup => {
  const { columns, num_rows } = fieldsOf(u)
  return Array.isArray(columns) && typeof num_rows === 'bigint'
}

const isTexts = (u: unknown): boolean =>
  Array.isArray(u) && u.every((one) => typeof one === 'string')

const isGroups = (u: unknown): u is RowGroups => {
  const { columns, groups } = fieldsOf(u)
  return isTexts(columns) && Array.isArray(groups) && groups.every(isGroup)
}
