/** Params and answers that belong to no resource. */
import * as t from 'io-ts'
import type { Codec } from './Codec.js'

// params

const byId = t.exact(
  t.type({
    /** Made by the service. */
    id: t.string,
  }),
)

/** The identifier of one resource. The resource itself will do: nothing else of it is sent. */
export interface ById extends t.TypeOf<typeof byId> {}

export const ById: Codec<ById> = byId

const nothing = t.partial({})

/** The parameters of a call that takes none. */
export interface Nothing extends t.TypeOf<typeof nothing> {}

export const Nothing: Codec<Nothing> = nothing

// answers

/**
 * What a call that is done answers where the interface shows no body: JSON if it is JSON, else its
 * text, and `undefined` when there is nothing (default, not specified by the interface document).
 */
export type Acknowledgement = unknown

export const Acknowledgement: Codec<Acknowledgement> = t.unknown

const envelope = t.intersection([
  t.type({ items: t.UnknownArray }),
  t.partial({
    /** Whether a further `page_num` has rows; missing, null or false at the end. */
    has_more: t.union([t.boolean, t.null]),
    /** The bookmark of the page after this one; missing, null or empty at the end. */
    page_after: t.union([t.string, t.null]),
    /** The bookmark of the page before this one. */
    page_before: t.unknown,
  }),
])

/** What one page of a list comes in; its items are decoded one by one. */
export interface Envelope extends t.TypeOf<typeof envelope> {}

export const Envelope: Codec<Envelope> = envelope
