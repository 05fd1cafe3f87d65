import * as t from 'io-ts'

/** The known values, which an editor completes, and any other text. */
export type Open<K extends string> = K | (string & {})

/** The codec of an open enumeration. `known` is what drift is measured against. */
export class OpenType<K extends string> extends t.Type<Open<K>> {
  readonly _tag = 'OpenType'
  /** The known values; others pass. */
  readonly known: ReadonlyArray<K>
  constructor(known: ReadonlyArray<K>) {
    const name = `${known.map((k) => JSON.stringify(k)).join(' | ')} | string`
    super(name, t.string.is, t.string.validate, t.identity)
    this.known = known
  }

  /** Returns true if it still validates as it was made: a clone may not. */
  static isUntouched(codec: OpenType<string>): boolean {
    return codec.validate === t.string.validate
  }
}

/** The codec that `open` returns. */
export interface OpenC<K extends readonly [string, ...ReadonlyArray<string>]>
  extends OpenType<K[number]> {}

/**
 * An enumeration to which values may be added: takes every text, and knows some of them.
 *
 *     open('NEW', 'SETTLED').decode('NEW')      Right 'NEW'
 *     open('NEW', 'SETTLED').decode('EXPIRED')  Right 'EXPIRED', and a fact where drift is watched
 *     open('NEW', 'SETTLED').decode(1)          Left
 */
export const open = <const K extends readonly [string, ...ReadonlyArray<string>]>(
  ...known: K
): OpenC<K> => new OpenType(known)
