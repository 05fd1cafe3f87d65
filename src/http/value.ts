import type { ObservableEither } from '../stream/index.js'
import { readValue } from './answer/answer.js'
import type { Calling } from './Calling.js'
import type { Failure } from './Failure.js'
import { type Recovery, recover } from './replay/recover.js'

// model

/** What the calls of one value are made of. */
export interface ValueCalling<A> extends Calling<A> {
  /** Tells what became of a write, where that can be told. */
  readonly recovery: Recovery | undefined
}

// constructors

/** A call of one value. */
export const value = <A>({
  row,
  ask,
  decode,
  parseText,
  recovery,
}: ValueCalling<A>): ((params: unknown) => ObservableEither<Failure, A>) => {
  const read = readValue(decode, parseText, row.answer)
  const settle = recovery && recover(recovery, decode, parseText)
  return (params) => ask(params, read, settle)
}
