/** Reads what an earlier version, or another program, may have written in place of a state or manifest. */
import { createHash } from 'node:crypto'
import type { Codec } from '../codec/Codec.js'
import { causes } from '../decode/index.js'
import { fieldsOf, parsed } from '../decode/unknown.js'
import { E, withoutUndefined } from '../fp.js'
import { type StoreError, storeError } from './StoreError.js'

/** A kind of record. */
export interface RecordKind<A> {
  /** As in "is no checkpoint". */
  readonly name: string
  /** Version of the layout, as it stands in the field `version`. */
  readonly version: number
  readonly codec: Codec<A>
  /** Returns whether it is as it was written; for a kind that has a checksum. */
  readonly isIntact?: (parsed: object) => boolean
}

/** Reads the text of the record at `path`. Throws `Damaged`, naming the field and what was expected, or `NewerVersion`. */
export const readRecord =
  <A>({ name, version, codec, isIntact = () => true }: RecordKind<A>) =>
  (path: string) =>
  (text: string): A => {
    const damaged = (why: string, field?: string): StoreError =>
      storeError('Damaged', `${path} is no ${name}: ${why}`, {
        path,
        ...withoutUndefined({ field }),
      })

    const u = parsed(text)
    if (u === undefined) throw damaged('it should be JSON')
    const { version: found } = fieldsOf(u)
    if (typeof found === 'number' && found > version) {
      const why = `is of version ${found}, and this package knows ${version}: use the one that wrote it`
      throw storeError('NewerVersion', `${path} ${why}`, { path })
    }
    if (typeof found === 'number' && found < version) {
      const why = `is of version ${found}, and this package resumes version ${version} only: finish it with the one that wrote it, or start over`
      throw storeError('Damaged', `${path} ${why}`, { path, field: 'version' })
    }
    const read = decodedAs(codec, u, path, `${path} is no ${name}`)
    if (isIntact(fieldsOf(u))) return read
    throw damaged('it was changed or damaged since it was written', 'sum')
  }

/** Decodes what was read at `path`. Throws `Damaged`, naming the field and what was expected; `what` begins its message. */
export const decodedAs = <A>(codec: Codec<A>, u: unknown, path: string, what: string): A => {
  const read = codec.decode(u)
  if (E.isRight(read)) return read.right
  const [{ path: field, expected, actual }] = causes(read.left)
  const why = `${field || 'it'} should be ${expected}, and is ${actual}`
  throw storeError('Damaged', `${what}: ${why}`, { path, field })
}

/** Shows a record with its checksum, as `hasSum` accepts it; indented for people if `indent` is given. */
export const showSummed = (content: object, indent?: number): string =>
  `${JSON.stringify({ ...content, sum: sumOf(content) }, null, indent)}\n`

/** Returns whether a record is as it was written. */
export const hasSum = ({ sum, ...content }: { readonly sum?: unknown }): boolean =>
  sum === sumOf(content)

/** Returns the checksum of all that is beside it in the record. */
const sumOf = (content: object): string => sha256(JSON.stringify(content))

/** Returns the SHA-256 of a text or of bytes, in hex. */
export const sha256 = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex')
