import type { AnyEndpoint } from '../api/Endpoint.js'
import type { Decoder } from '../decode/index.js'
import type { ParseText } from './answer/answer.js'
import type { Ask } from './ask.js'

/** What the calls of a row are made of: how they are asked, and how what comes is read. */
export interface Calling<A> {
  readonly row: AnyEndpoint
  readonly ask: Ask
  readonly decode: Decoder<A>
  /** Default `JSON.parse`. */
  readonly parseText?: ParseText | undefined
}
