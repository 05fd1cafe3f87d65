import type { ObservableEither } from '../stream/index.js'
import { valueReader } from './answer/readAnswer.js'
import type { CallSpec } from './CallSpec.js'
import type { Failure } from './Failure.js'
import { type Recovery, recover } from './retry/recover.js'

// model

/** What the calls of one value are made of. */
export interface ReadOneSpec<A> extends CallSpec<A> {
  /** Tells what became of a write, where that can be told. */
  readonly recovery: Recovery | undefined
}

// constructors

/** A call of one value. */
export const readOne = <A>({
  row,
  ask,
  decode,
  parseText,
  recovery,
}: ReadOneSpec<A>): ((params: unknown) => ObservableEither<Failure, A>) => {
  const read = valueReader(decode, parseText, row.answer)
  const settle = recovery && recover(recovery, decode, parseText)
  return (params) => ask(params, read, settle)
}
