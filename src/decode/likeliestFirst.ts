import type * as t from 'io-ts'
import { names, tagOf, unwrapped } from './codecParts.js'
import { isMember } from './errorPath.js'

type Errors = ReadonlyArray<t.ValidationError>

/** The entries of a context below one depth that lead further into the value. */
interface Below {
  readonly count: number
  readonly first: t.ContextEntry | undefined
}

type BelowOf = (error: t.ValidationError) => ReadonlyArray<Below>

interface Branch {
  readonly errors: Errors
  /** Compared number by number; higher is likelier. */
  readonly rank: ReadonlyArray<number>
}

/** Returns the errors in io-ts's order, except that in each union the likeliest branch comes first. */
export const likeliestFirst = (errors: Errors): Errors => {
  const known = new Map<t.ValidationError, ReadonlyArray<Below>>()
  const belowOf: BelowOf = (error) => {
    const below = known.get(error) ?? belowEach(error)
    known.set(error, below)
    return below
  }
  return sorted(errors, 1, belowOf)
}

const sorted = (errors: Errors, depth: number, belowOf: BelowOf): Errors => {
  const context = errors[0]?.context
  if (errors.length < 2 || depth > 200 || context === undefined) return errors
  const groups = byKey(errors, depth).map((group) => sorted(group, depth + 1, belowOf))
  if (tagOf(unwrapped(context[depth - 1]?.type)) !== 'UnionType') return groups.flat()
  return groups
    .map((group): Branch => ({ errors: group, rank: rank(group, depth, belowOf) }))
    .sort(byRank)
    .flatMap((branch) => branch.errors)
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

const byRank = (a: Branch, b: Branch): number => {
  const differing = a.rank.findIndex((n, i) => n !== b.rank[i])
  return differing < 0 ? 0 : (b.rank[differing] ?? 0) - (a.rank[differing] ?? 0)
}

const tagKinds = new Set<unknown>(['LiteralType', 'KeyofType'])

/** Ranks the branch of a union at `depth`: how deep it got, then its tag, then the fields it names. */
const rank = (errors: Errors, depth: number, belowOf: BelowOf): ReadonlyArray<number> => {
  const entry = errors[0]?.context[depth]
  const failedFields = new Set<string | undefined>()
  let [least, most, failedTags] = [1, 0, 0]
  for (const error of errors) {
    const { count = 0, first } = belowOf(error)[depth] ?? {}
    failedFields.add(first?.key)
    least = Math.min(least, count)
    most = Math.max(most, count)
    if (count === 1 && tagKinds.has(tagOf(unwrapped(first?.type)))) failedTags++
  }
  const actual: unknown = entry?.actual
  const named =
    typeof actual === 'object' && actual !== null
      ? Object.keys(actual).filter((key) => names(entry?.type, key)).length
      : 0
  return [least, -failedTags, named - failedFields.size, -failedFields.size, most]
}

/** Computes what is below each depth in one pass: a context may be thousands of levels deep. */
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
