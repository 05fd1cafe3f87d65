import * as t from 'io-ts'

/** The known values, which an editor suggests, or any other string. */
export type Open<K extends string> = K | (string & {})

/** The codec of an open enumeration. Values that are not in `known` count as drift. */
export class OpenType<K extends string> extends t.Type<Open<K>> {
  readonly _tag = 'OpenType'
  /** The known values. Others are accepted as well. */
  readonly known: ReadonlyArray<K>
  constructor(known: ReadonlyArray<K>) {
    const name = `${known.map((k) => JSON.stringify(k)).join(' | ')} | string`
    super(name, t.string.is, t.string.validate, t.identity)
    this.known = known
  }

  /** Returns true if its `validate` is the original one, which may not be true for a clone. */
  static isUntouched(codec: OpenType<string>): boolean {
    return codec.validate === t.string.validate
  }
}

/** The codec that `open` returns. */
export interface OpenC<K extends readonly [string, ...ReadonlyArray<string>]>
  extends OpenType<K[number]> {}

/**
 * Creates an open enumeration: it knows some values, and accepts any other string.
 *
 *     open('NEW', 'SETTLED').decode('NEW')      Right 'NEW'
 *     open('NEW', 'SETTLED').decode('EXPIRED')  Right 'EXPIRED', counted as drift if that is watched
 *     open('NEW', 'SETTLED').decode(1)          Left
 */
export const open = <const K extends readonly [string, ...ReadonlyArray<string>]>(
  ...known: K
): OpenC<K> => new OpenType(known)
