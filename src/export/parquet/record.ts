/**
 * What makes an unfinished Parquet file one that can be gone on with. The metadata of row groups stands
 * at the end of a file, so after each flush they are left behind the groups they are of, as a record:
 *
 *     PAR1 | groups | record | groups | record |  ...  | groups | footer | PAR1
 *                       ^--------'  '-- a mark
 *
 * Each points to the one before, and says of which columns its groups are: the footer says it once, for all.
 * Readers go by the footer and never see them. As the file does not end with PAR1 until it is finished, no
 * reader takes the first rows for all.
 */
import { deserialize, serialize } from 'node:v8'
import type { RowGroup } from 'hyparquet'
import { fieldsOf } from '../../decode/unknown.js'
import { checksumMismatch } from '../ExportError.js'
import type { Kept } from '../format/Format.js'

/** What a record ends with, after its length and where the one before ends. */
const MAGIC = 0x4b52_414d // MARK

/** Bytes of the end of a record: where the one before ends, the length, the magic. */
const TAIL = 16

/** Some row groups, one after the other. */
export interface Groups {
  /** Each as its name and its type. */
  readonly columns: ReadonlyArray<string>
  readonly groups: ReadonlyArray<RowGroup>
}

/** `before` is where the record before ends; 0 for none. */
export const recordOf = (groups: Groups, before: number): Uint8Array => {
  const body = serialize(groups) // knows bigints and bytes, as JSON does not
  const tail = new DataView(new ArrayBuffer(TAIL))
  tail.setFloat64(0, before, true)
  tail.setUint32(8, body.length, true)
  tail.setUint32(12, MAGIC, true)
  return Buffer.concat([body, new Uint8Array(tail.buffer)])
}

/** The row groups up to a mark, by record; undefined if none ends there. Throws a `ChecksumMismatch` for another's. */
export const groupsUpTo = async ({
  path,
  mark,
  read,
}: Kept): Promise<ReadonlyArray<Groups> | undefined> => {
  const found: Array<Groups> = []
  for (let end = mark.bytes; end > 0; ) {
    if (end < TAIL) return undefined
    const bytes = await read(end - TAIL, TAIL)
    const tail = new DataView(bytes.buffer, bytes.byteOffset, TAIL)
    const length = tail.getUint32(8, true)
    if (tail.getUint32(12, true) !== MAGIC || length > end - TAIL) return undefined
    const groups = said(path, await read(end - TAIL - length, length))
    if (!isGroups(groups)) return undefined
    found.unshift(groups)
    const before = tail.getFloat64(0, true)
    if (!(before >= 0 && before < end)) return undefined
    end = before
  }
  return found
}

/** Each engine has a way of its own to serialize, and adds to it: the bytes are those that were written. */
const said = (path: string, body: Uint8Array): unknown => {
  try {
    return deserialize(body)
  } catch {
    throw checksumMismatch(path, 'was begun by another runtime, or a newer version of it')
  }
}

const isGroup = (u: unknown): u is RowGroup => {
  const { columns, num_rows } = fieldsOf(u)
  return Array.isArray(columns) && typeof num_rows === 'bigint'
}

const isTexts = (u: unknown): boolean =>
  Array.isArray(u) && u.every((one) => typeof one === 'string')

const isGroups = (u: unknown): u is Groups => {
  const { columns, groups } = fieldsOf(u)
  return isTexts(columns) && Array.isArray(groups) && groups.every(isGroup)
}
