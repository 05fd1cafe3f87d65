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

/** The entries below `depth` that lead further into the value. */
const stepsBelow = (context: t.Context, depth: number): t.Context =>
  context.filter((entry, i) => {
    const parent = context[i - 1]
    return i > depth && parent !== undefined && !isMember(parent, entry)
  })

/** How likely the branch at `depth` was meant. */
const rank = (errors: Errors, depth: number): ReadonlyArray<number> => {
  const entry = errors[0]?.context[depth]
  const steps = errors.map(({ context }) => stepsBelow(context, depth))
  const depths = steps.map(({ length }) => length)
  const tags = steps.filter(
    (below) => below.length === 1 && values.has(tagOf(unwrapped(below[0]?.type))),
  )
  const actual: unknown = entry?.actual
  const named =
    typeof actual === 'object' && actual !== null
      ? Object.keys(actual).filter((key) => names(entry?.type, key)).length
      : 0
  const failed = new Set(steps.map((below) => below[0]?.key)).size
  return [Math.min(1, ...depths), -tags.length, named - failed, -failed, Math.max(...depths)]
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

const arrangeFrom = (errors: Errors, depth: number): Errors => {
  const context = errors[0]?.context
  if (errors.length < 2 || depth > 200 || context === undefined) return errors
  const groups = byKey(errors, depth).map((group) => arrangeFrom(group, depth + 1))
  if (tagOf(unwrapped(context[depth - 1]?.type)) !== 'UnionType') return groups.flat()
  return groups
    .map((group): Branch => ({ errors: group, rank: rank(group, depth) }))
    .sort(likelierFirst)
    .flatMap((branch) => branch.errors)
}

/** The errors in io-ts's order, but the branches of each union with the likeliest first. */
export const arrange = (errors: Errors): Errors => arrangeFrom(errors, 1)
