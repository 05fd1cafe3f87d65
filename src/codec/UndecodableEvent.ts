import type { Cause, Causes } from '../decode/causes.js'

// model

/** A delivery that is no event, or not what its name says. The `Undecodable` of a client is an answer. */
export interface UndecodableEvent {
  readonly _tag: 'Undecodable'
  /** Where, from the top of the body; empty for the whole. */
  readonly path: string
  /** What it should have been. */
  readonly expected: string
  /** Described, never repeated. */
  readonly actual: string
  /** All that does not fit, the first one among them. */
  readonly causes: ReadonlyArray<Cause>
  /** One line, fit for a log. */
  readonly message: string
}

// constructors

export const undecodable = (all: Causes): UndecodableEvent => {
  const [{ path, expected, actual }] = all
  return {
    _tag: 'Undecodable',
    path,
    expected,
    actual,
    causes: all,
    message: `${path || 'the body'} should be ${expected}, and is ${actual}`,
  }
}
