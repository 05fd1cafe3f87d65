/** Reads states and manifests, which may have been written by an earlier version or another program. */
import { createHash } from 'node:crypto'
import type { Codec } from '../codec/Codec.js'
import { causes } from '../decode/index.js'
import { fieldsOf, parsed } from '../decode/unknown.js'
import { E, withoutUndefined } from '../fp.js'
import { type StoreError, storeError } from './StoreError.js'

export interface RecordKind<A> {
  /** Name in messages, as in "is not a checkpoint". */
  readonly name: string
  /** Version of the layout, stored in the field `version`. */
  readonly version: number
  readonly codec: Codec<A>
  /** Returns true if the record is unchanged; only for kinds with a checksum. */
  readonly isIntact?: (parsed: object) => boolean
}

/** Parses the record at `path`. Throws `Damaged`, with the field and the expected value, or `NewerVersion`. */
export const readRecord =
  <A>({ name, version, codec, isIntact = () => true }: RecordKind<A>) =>
  (path: string) =>
  (text: string): A => {
    const damaged = (why: string, field?: string): StoreError =>
      storeError('Damaged', `${path} is not a ${name}: ${why}`, {
        path,
        ...withoutUndefined({ field }),
      })

    const u = parsed(text)
    if (u === undefined) throw damaged('it should be JSON')
    const { version: found } = fieldsOf(u)
    if (typeof found === 'number' && found > version) {
      const why = `has version ${found}, but this release of payments-rx knows version ${version}: use the release that wrote it`
      throw storeError('NewerVersion', `${path} ${why}`, { path })
    }
    if (typeof found === 'number' && found < version) {
      const why = `has version ${found}, but this release of payments-rx resumes only version ${version}: finish the run with the release that wrote it, or start over`
      throw storeError('Damaged', `${path} ${why}`, { path, field: 'version' })
    }
    const read = decodedAs(codec, u, path, `${path} is not a ${name}`)
    if (isIntact(fieldsOf(u))) return read
    throw damaged('it was changed or damaged since it was written', 'sum')
  }

/** Decodes the record at `path`. Throws `Damaged`, with the field and the expected value. `what`: start of the message. */
export const decodedAs = <A>(codec: Codec<A>, u: unknown, path: string, what: string): A => {
  const read = codec.decode(u)
  if (E.isRight(read)) return read.right
  const [{ path: field, expected, actual }] = causes(read.left)
  const why = `${field || 'it'} should be ${expected}, but is ${actual}`
  throw storeError('Damaged', `${what}: ${why}`, { path, field })
}

/** Formats a record with its checksum, for `hasSum`. Indents it if `indent` is given. */
export const showSummed = (content: object, indent?: number): string =>
  `${JSON.stringify({ ...content, sum: sumOf(content) }, null, indent)}\n`

/** Returns true if a record matches its checksum. */
export const hasSum = ({ sum, ...content }: { readonly sum?: unknown }): boolean =>
  sum === sumOf(content)

/** Returns the checksum of all other fields of the record. */
const sumOf = (content: object): string => sha256(JSON.stringify(content))

/** Returns the SHA-256 of a text or of bytes, in hex digits. */
export const sha256 = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex')
