import type { AnyEndpoint } from '../api/Endpoint.js'
import type { Decoder } from '../decode/index.js'
import type { ParseText } from './answer/readAnswer.js'
import type { Execute } from './execute.js'

/** What the calls of a row are made of: how they are asked, and how what comes is read. */
export interface CallSpec<A> {
  readonly row: AnyEndpoint
  readonly ask: Execute
  readonly decode: Decoder<A>
  /** Default `JSON.parse`. */
  readonly parseText?: ParseText | undefined
}
