import * as t from 'io-ts'
import type { Codec } from './Codec.js'

const envelope = t.intersection([
  t.type({ items: t.UnknownArray }),
  t.partial({
    /** Whether a further `page_num` has rows; a list ends when it is not `true`. */
    has_more: t.unknown,
    /** The bookmark of the page after this one; missing, null or empty at the end. */
    page_after: t.unknown,
    /** The bookmark of the page before this one. */
    page_before: t.unknown,
  }),
])

/** What one page of a list comes in; its items are decoded one by one. */
export interface Envelope extends t.TypeOf<typeof envelope> {}

export const Envelope: Codec<Envelope> = envelope
