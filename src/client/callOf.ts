import { type AnyEndpoint, isList, untyped } from '../api/Endpoint.js'
import { rows } from '../api/index.js'
import { compile, type Decoder, type Drift } from '../decode/index.js'
import type { ParseText } from '../http/answer/answer.js'
import { ask } from '../http/ask.js'
import type { Calling } from '../http/Calling.js'
import type { Engine } from '../http/Engine.js'
import type { ListOrigin } from '../http/list/ListDescription.js'
import { type ListOptions, list } from '../http/list/list.js'
import type { Pace } from '../http/list/plan.js'
import type { Budget } from '../http/replay/Budget.js'
import type { Settings } from '../http/Settings.js'
import { value } from '../http/value.js'
import { InvalidOption } from '../options/index.js'
import type { Call } from './Call.js'

// model

/** How answers are read. */
export interface Reading {
  readonly lists: ListOptions & { readonly pace: Pace }
  readonly parseText?: ParseText
  readonly drift?: Drift
  /** The client that lists belong to, as seen by the calls of a row. */
  readonly originOf: (row: AnyEndpoint, settings: Settings) => ListOrigin
}

// constructors

/** What a row does; `Call` says the same of its type. */
export const callOf = (
  engine: Engine,
  settings: Settings,
  { lists, parseText, drift, originOf }: Reading,
): ((row: AnyEndpoint) => Call<AnyEndpoint>) => {
  const askOf = ask(engine, settings)
  const findOf = ask({ ...engine, budget: notEarned(engine.budget) }, settings)
  return (row) => {
    const finder = finderOf(row)
    const recovery = finder && {
      find: findOf(finder),
      knownBy: row.knownBy,
      onFound: (requestId: string) =>
        engine.emit({ _tag: 'Recovered', endpoint: row.route, requestId }),
    }
    const calling: Omit<Calling<unknown>, 'row'> = {
      ask: askOf(row),
      decode: watched(drift?.watch(row.route, row.success), compile(row.success)),
      parseText,
    }
    return isList(row)
      ? list({ ...calling, row, options: lists, drift, origin: originOf(row, settings) })
      : value({ ...calling, row, recovery })
  }
}

/** The list that tells what became of a write. */
const finderOf = ({ foundBy }: AnyEndpoint): AnyEndpoint | undefined => {
  if (foundBy === undefined) return undefined
  const row = typeof foundBy === 'string' ? rows.find(({ route }) => route === foundBy) : foundBy
  if (row === undefined) {
    throw new InvalidOption(
      'foundBy',
      'the route of a list of the interface, or the row of another',
    )
  }
  return untyped(row)
}

/** A look-up is no call of its own: it adds nothing to what may be tried again. */
const notEarned = (budget: Budget): Budget => ({ ...budget, earn: () => {} })

const watched = <A>(watch: ((u: unknown) => void) | undefined, decode: Decoder<A>): Decoder<A> =>
  watch === undefined
    ? decode
    : (u) => {
        watch(u)
        return decode(u)
      }
