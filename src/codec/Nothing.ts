import * as t from 'io-ts'
import type { Codec } from './Codec.js'

const nothing = t.partial({})

/** The parameters of a call that takes none. */
export interface Nothing extends t.TypeOf<typeof nothing> {}

export const Nothing: Codec<Nothing> = nothing
