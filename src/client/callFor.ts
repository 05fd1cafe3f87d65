import { type AnyEndpoint, isList, untyped } from '../api/Endpoint.js'
import { rows } from '../api/index.js'
import { compile, type Decoder, type Drift } from '../decode/index.js'
import type { ParseText } from '../http/answer/readAnswer.js'
import type { CallSettings } from '../http/CallSettings.js'
import type { CallSpec } from '../http/CallSpec.js'
import type { ClientRuntime } from '../http/ClientRuntime.js'
import { execute } from '../http/execute.js'
import type { ListOrigin } from '../http/list/ListDescription.js'
import type { ListLimits } from '../http/list/plan.js'
import { type ListOptions, readList } from '../http/list/readList.js'
import { readOne } from '../http/readOne.js'
import type { RetryBudget } from '../http/retry/RetryBudget.js'
import { InvalidOption } from '../options/index.js'
import type { Call } from './Call.js'

// model

/** How answers are read. */
export interface ReadOptions {
  readonly lists: ListOptions & { readonly pace: ListLimits }
  readonly parseText?: ParseText
  readonly drift?: Drift
  /** The client that lists belong to, as seen by the calls of a row. */
  readonly originOf: (row: AnyEndpoint, settings: CallSettings) => ListOrigin
}

// constructors

/** What a row does; `Call` says the same of its type. */
export const callFor = (
  engine: ClientRuntime,
  settings: CallSettings,
  { lists, parseText, drift, originOf }: ReadOptions,
): ((row: AnyEndpoint) => Call<AnyEndpoint>) => {
  const askOf = execute(engine, settings)
  const findOf = execute({ ...engine, budget: notEarned(engine.budget) }, settings)
  return (row) => {
    const finder = finderOf(row)
    const recovery = finder && {
      find: findOf(finder),
      knownBy: row.knownBy,
      onFound: (requestId: string) =>
        engine.emit({ _tag: 'Recovered', endpoint: row.route, requestId }),
    }
    const calling: Omit<CallSpec<unknown>, 'row'> = {
      ask: askOf(row),
      decode: watched(drift?.watch(row.route, row.success), compile(row.success)),
      parseText,
    }
    return isList(row)
      ? readList({ ...calling, row, options: lists, drift, origin: originOf(row, settings) })
      : readOne({ ...calling, row, recovery })
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
const notEarned = (budget: RetryBudget): RetryBudget => ({ ...budget, earn: () => {} })

const watched = <A>(watch: ((u: unknown) => void) | undefined, decode: Decoder<A>): Decoder<A> =>
  watch === undefined
    ? decode
    : (u) => {
        watch(u)
        return decode(u)
      }
