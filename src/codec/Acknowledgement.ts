import * as t from 'io-ts'
import type { Codec } from './Codec.js'

/**
 * What a call that is done answers where the interface shows no body: JSON if it is JSON, else its
 * text, and `undefined` when there is nothing (default, not specified by the interface document).
 */
export type Acknowledgement = unknown

export const Acknowledgement: Codec<Acknowledgement> = t.unknown
