import type * as t from 'io-ts'

/** What JSON Schema says of a single value on the wire: what a refinement keeps to itself. */
export interface Schema {
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object'
  readonly pattern?: string
  /** In code points. */
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly maxProperties?: number
}

/** A codec that says what its values look like, for docs and for whoever makes values of it. */
export interface Described {
  readonly schema: Schema
}

export const described = <C extends t.Mixed>(codec: C, schema: Schema): C & Described =>
  Object.assign(codec, { schema })
