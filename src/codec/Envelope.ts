import * as t from 'io-ts'
import type { Codec } from './Codec.js'

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
