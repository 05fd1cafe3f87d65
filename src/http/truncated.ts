import { defined } from '../fp.js'
import type { AnyFailure, ListGuard, Truncated } from './Failure.js'
import { oneLine } from './oneLine.js'

export interface CutAt<At> {
  readonly endpoint: string
  /** What is missing. */
  readonly position: At
  /** Pages that were delivered. */
  readonly pages: number
  /** The same for people: `ended before page_num 3, after 3 pages`. */
  readonly ended: string
}

/** A guard, and what it says. */
export interface Stopped {
  readonly guard: ListGuard
  readonly message: string
}

/** A list that could not be read to its end, and why: a failure, or what a guard says. */
export const truncated = <At>(
  { endpoint, position, pages, ended }: CutAt<At>,
  why: AnyFailure | Stopped,
): Truncated<At> => {
  const common = { _tag: 'Truncated', endpoint, position, pages } as const
  const where = `${endpoint}: incomplete: ${oneLine(ended)}:` // a bookmark is a text from outside
  const message = `${where} ${why.message}`
  if (!('_tag' in why)) return { ...common, attempts: 0, message, guard: why.guard }
  const { attempts, traceId } = why
  return {
    ...common,
    attempts,
    ...defined({ traceId }),
    cause: why,
    message,
  }
}
