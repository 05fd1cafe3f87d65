import type * as t from 'io-ts'
import { names, tagOf, unwrapped } from './codecParts.js'
import { isMember } from './errorPath.js'

type Errors = ReadonlyArray<t.ValidationError>

interface Branch {
  readonly errors: Errors
  /** Higher is likelier; compared place by place. */
  readonly rank: ReadonlyArray<number>
}

const values = new Set<unknown>(['LiteralType', 'KeyofType'])

/** The entries below a place of a context that lead further into the value. */
interface Below {
  readonly count: number
  readonly first: t.ContextEntry | undefined
}

/** What is below each place, in one pass: a context may be thousands of levels deep. */
const belowEach = ({ context }: t.ValidationError): ReadonlyArray<Below> => {
  const upwards: Array<Below> = []
  let below: Below = { count: 0, first: undefined }
  for (let i = context.length - 1; i >= 0; i--) {
    upwards.push(below)
    const [parent, entry] = [context[i - 1], context[i]]
    if (parent !== undefined && entry !== undefined && !isMember(parent, entry)) {
      below = { count: below.count + 1, first: entry }
    }
  }
  return upwards.reverse()
}

type BelowOf = (error: t.ValidationError) => ReadonlyArray<Below>

const belowOnce = (): BelowOf => {
  const known = new Map<t.ValidationError, ReadonlyArray<Below>>()
  return (error) => {
    const below = known.get(error) ?? belowEach(error)
    known.set(error, below)
    return below
  }
}

/** How likely the branch at `depth` was meant. */
const rank = (errors: Errors, depth: number, belowOf: BelowOf): ReadonlyArray<number> => {
  const entry = errors[0]?.context[depth]
  const failed = new Set<string | undefined>()
  let [least, most, tags] = [1, 0, 0]
  for (const error of errors) {
    const { count = 0, first } = belowOf(error)[depth] ?? {}
    failed.add(first?.key)
    least = Math.min(least, count)
    most = Math.max(most, count)
    if (count === 1 && values.has(tagOf(unwrapped(first?.type)))) tags++
  }
  const actual: unknown = entry?.actual
  const named =
    typeof actual === 'object' && actual !== null
      ? Object.keys(actual).filter((key) => names(entry?.type, key)).length
      : 0
  return [least, -tags, named - failed.size, -failed.size, most]
}

const likelierFirst = (a: Branch, b: Branch): number => {
  const differing = a.rank.findIndex((n, i) => n !== b.rank[i])
  return differing < 0 ? 0 : (b.rank[differing] ?? 0) - (a.rank[differing] ?? 0)
}

const byKey = (errors: Errors, depth: number): ReadonlyArray<Errors> => {
  const groups = new Map<string | undefined, Array<t.ValidationError>>()
  for (const error of errors) {
    const key = error.context[depth]?.key
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [error])
    else group.push(error)
  }
  return [...groups.values()]
}

const arrangeFrom = (errors: Errors, depth: number, belowOf: BelowOf): Errors => {
  const context = errors[0]?.context
  if (errors.length < 2 || depth > 200 || context === undefined) return errors
  const groups = byKey(errors, depth).map((group) => arrangeFrom(group, depth + 1, belowOf))
  if (tagOf(unwrapped(context[depth - 1]?.type)) !== 'UnionType') return groups.flat()
  return groups
    .map((group): Branch => ({ errors: group, rank: rank(group, depth, belowOf) }))
    .sort(likelierFirst)
    .flatMap((branch) => branch.errors)
}

/** The errors in io-ts's order, but the branches of each union with the likeliest first. */
export const arrange = (errors: Errors): Errors => arrangeFrom(errors, 1, belowOnce())
