import type { Codec } from '../../codec/Codec.js'
import { causes } from '../../decode/index.js'
import { fieldsOf, parsed } from '../../decode/unknown.js'
import { E } from '../../fp.js'
import { CannotRun } from './CannotRun.js'

// model

/** A kind of file that an export keeps of itself. */
export interface Kind<A> {
  /** As in "is no checkpoint". */
  readonly name: string
  /** Of its shape, as it stands in its field `version`. */
  readonly version: number
  readonly codec: Codec<A>
  /** Whether it is as it was written; for a kind that tells. */
  readonly isIntact?: (parsed: object) => boolean
}

// constructors

/**
 * Reads what was kept at `path`. Throws a `CannotRun` for what is something else, naming the field and
 * what was expected, and for what another version of this package wrote.
 */
export const readKept =
  <A>({ name, version, codec, isIntact = () => true }: Kind<A>) =>
  (path: string) =>
  (text: string): A => {
    const damaged = (why: string, field?: string): CannotRun =>
      new CannotRun('damaged', path, `is no ${name}: ${why}`, field)

    const u = parsed(text)
    if (u === undefined) throw damaged('it should be JSON')
    const { version: found } = fieldsOf(u)
    if (typeof found === 'number' && found > version) {
      const why = `is of version ${found}, and this package knows ${version}: use the one that wrote it`
      throw new CannotRun('later', path, why, 'version')
    }
    if (typeof found === 'number' && found < version) {
      const why = `is of version ${found}, and this package goes on from version ${version} only`
      throw new CannotRun('damaged', path, why, 'version')
    }
    const read = codec.decode(u)
    if (E.isRight(read)) {
      if (isIntact(fieldsOf(u))) return read.right
      throw damaged('it was changed or damaged since it was written', 'sum')
    }
    const [{ path: field, expected, actual }] = causes(read.left)
    throw damaged(`${field || 'it'} should be ${expected}, and is ${actual}`, field)
  }
