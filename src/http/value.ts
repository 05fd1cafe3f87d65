import type { AnyEndpoint } from '../api/Endpoint.js'
import type { Decoder } from '../decode/index.js'
import type { ObservableEither } from '../stream/index.js'
import { type ParseText, readValue } from './answer.js'
import type { Ask } from './ask.js'
import type { Failure } from './Failure.js'
import { type Recovery, recover } from './recover.js'

/** A call of one value. `find` tells what became of a write, if there is one. */
export const value = <A>(
  ask: Ask,
  decode: Decoder<A>,
  find: Recovery | undefined,
  form: AnyEndpoint['answer'] = 'json',
  parseText?: ParseText,
): ((params: unknown) => ObservableEither<Failure, A>) => {
  const read = readValue(decode, form, parseText)
  if (find === undefined) return (params) => ask(params, read)
  const recovery = recover(find, decode)
  return (params) => ask(params, read, recovery)
}
