import * as t from 'io-ts'
import type { Codec } from './Codec.js'

const byId = t.exact(
  t.type({
    /** Made by the service. */
    id: t.string,
  }),
)

/** The identifier of one resource. The resource itself will do: nothing else of it is sent. */
export interface ById extends t.TypeOf<typeof byId> {}

export const ById: Codec<ById> = byId
