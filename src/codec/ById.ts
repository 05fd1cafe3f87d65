import * as t from 'io-ts'
import type { Codec } from './Codec.js'

const byId = t.type({ id: t.string })

/** The identifier of one resource. */
export interface ById extends t.TypeOf<typeof byId> {}

export const ById: Codec<ById> = byId
