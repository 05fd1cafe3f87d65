import * as t from 'io-ts'
import { domainKeys, exactProps, isCodec, part, tagOf, tagValues, typesOf } from '../codecParts.js'
import { OpenType } from '../open.js'
import type { Basic, Plan, PlanField, UnionMember } from './Plan.js'

// io-ts's own codecs

/** How io-ts validates. A codec is recognized by the source of its `validate`, because a clone keeps the `_tag`. */
type CodecKind =
  | 'any'
  | 'literal'
  | 'keyof'
  | 'type'
  | 'partial'
  | 'array'
  | 'tuple'
  | 'record'
  | 'union'
  | 'tagged union'
  | 'intersection'
  | 'refinement'
  | 'recursion'
  | 'exact'

const textOf = (f: unknown): string =>
  typeof f === 'function' ? Function.prototype.toString.call(f) : ''

const one = t.type({ tag: t.literal(1) })
const two = t.type({ tag: t.literal(2) })

const samples: ReadonlyArray<readonly [CodecKind, t.Mixed]> = [
  ['any', t.unknown],
  ['literal', t.literal(1)],
  ['keyof', t.keyof({ a: null })],
  ['type', one],
  ['partial', t.partial({})],
  ['array', t.array(t.string)],
  ['tuple', t.tuple([t.string])],
  ['record', t.record(t.string, t.string)],
  ['union', t.union([t.string, t.number])],
  ['tagged union', t.union([one, two])],
  ['intersection', t.intersection([one, one])],
  ['refinement', t.Int],
  ['recursion', t.recursion('', () => t.string)],
  ['exact', t.exact(one)],
]

const kinds: ReadonlyMap<string, CodecKind> = new Map(
  samples.map(([kind, { validate }]) => [textOf(validate), kind]),
)

/** Returns the kind of a codec if its `validate` is io-ts's own. */
const kindOf = (codec: unknown): CodecKind | undefined => kinds.get(textOf(part(codec, 'validate')))

const basics: ReadonlyArray<readonly [Basic, object]> = [
  ['null', t.null],
  ['undefined', t.undefined],
  ['undefined', t.void],
  ['string', t.string],
  ['number', t.number],
  ['bigint', t.bigint],
  ['boolean', t.boolean],
  ['list', t.UnknownArray],
  ['record', t.UnknownRecord],
  ['object', t.object],
  ['function', t.Function],
  ['never', t.never],
]

/** Returns the test of a codec if it is one of io-ts's own codecs for a single value. */
const basicOf = (codec: unknown): Basic | undefined =>
  basics.find(
    ([, own]) =>
      tagOf(codec) === tagOf(own) &&
      textOf(part(codec, 'validate')) === textOf(part(own, 'validate')) &&
      textOf(part(codec, 'is')) === textOf(part(own, 'is')),
  )?.[0]

// plans

type PlanOf = (codec: unknown) => Plan

const fieldsOf = (props: unknown, planOf: PlanOf): ReadonlyArray<PlanField> =>
  typeof props === 'object' && props !== null
    ? Object.keys(props).map((key) => ({ key, plan: planOf(part(props, key)) }))
    : []

/** The predicate of an io-ts refinement. It is called only with values that the inner codec accepts. */
const isPredicate = (u: unknown): u is (a: unknown) => unknown => typeof u === 'function'

/** Joins adjacent literals into one enumeration, and nested unions into one union. */
const flat = (members: ReadonlyArray<Plan>): Plan => {
  const all: Array<Plan> = []
  for (const member of members.flatMap((m) => (m._tag === 'Union' ? m.members : [m]))) {
    const last = all[all.length - 1]
    if (last?._tag === 'Literals' && member._tag === 'Literals') {
      all[all.length - 1] = { _tag: 'Literals', values: [...last.values, ...member.values] }
    } else all.push(member)
  }
  const [only, ...others] = all
  return only !== undefined && others.length === 0 ? only : { _tag: 'Union', members: all }
}

const tagged = (codec: unknown, planOf: PlanOf): Plan | undefined => {
  const tag = part(codec, 'tag')
  if (typeof tag !== 'string') return undefined
  const members = typesOf(codec).map(
    (member): UnionMember => ({ tags: tagValues(member, tag) ?? [], plan: planOf(member) }),
  )
  const tags = members.flatMap((member) => member.tags)
  const apart = new Set(tags).size === tags.length && members.every((m) => m.tags.length > 0)
  return apart ? { _tag: 'Tagged', tag, members } : undefined
}

/** Treats a `record` over an enumeration as `strict` with one field for each value of the enumeration. */
const recordOf = (codec: unknown, planOf: PlanOf): Plan | undefined => {
  const keys = domainKeys(part(codec, 'domain'))
  if (keys === undefined) return undefined
  const props: Record<string, unknown> = {}
  for (const key of keys) props[key] = part(codec, 'codomain')
  const plan: Plan = { _tag: 'Struct', optional: false, fields: fieldsOf(props, planOf) }
  return { _tag: 'Exact', plan, props }
}

const ofKind = (kind: CodecKind, codec: unknown, planOf: PlanOf): Plan | undefined => {
  const tag = tagOf(codec)
  const own = (name: string): boolean => tag === name
  switch (kind) {
    case 'any':
      return { _tag: 'Basic', test: 'any' }
    case 'literal':
      return own('LiteralType') ? { _tag: 'Literals', values: [part(codec, 'value')] } : undefined
    case 'keyof': {
      const keys = part(codec, 'keys')
      return own('KeyofType') && typeof keys === 'object' && keys !== null
        ? { _tag: 'Literals', values: Object.getOwnPropertyNames(keys) }
        : undefined
    }
    case 'type':
    case 'partial': {
      if (!own(kind === 'type' ? 'InterfaceType' : 'PartialType')) return undefined
      const fields = fieldsOf(part(codec, 'props'), planOf)
      return { _tag: 'Struct', optional: kind === 'partial', fields }
    }
    case 'array':
      return own('ArrayType') || own('ReadonlyArrayType')
        ? { _tag: 'List', item: planOf(part(codec, 'type')) }
        : undefined
    case 'tuple':
      return own('TupleType') ? { _tag: 'Tuple', items: typesOf(codec).map(planOf) } : undefined
    case 'record': {
      if (!own('DictionaryType')) return undefined
      const [domain, codomain] = [planOf(part(codec, 'domain')), planOf(part(codec, 'codomain'))]
      const lists = tagOf(part(codec, 'codomain')) === 'AnyType'
      return { _tag: 'Dictionary', domain, codomain, lists }
    }
    case 'union':
      return own('UnionType') ? flat(typesOf(codec).map(planOf)) : undefined
    case 'tagged union':
      return own('UnionType') ? tagged(codec, planOf) : undefined
    case 'intersection':
      return own('IntersectionType')
        ? { _tag: 'Intersection', members: typesOf(codec).map(planOf) }
        : undefined
    case 'refinement': {
      const predicate = part(codec, 'predicate')
      return own('RefinementType') && isPredicate(predicate)
        ? { _tag: 'Refinement', plan: planOf(part(codec, 'type')), predicate }
        : undefined
    }
    case 'exact': {
      if (own('DictionaryType')) return recordOf(codec, planOf)
      const inner = part(codec, 'type')
      const props = exactProps(inner)
      return own('ExactType') && props !== undefined
        ? { _tag: 'Exact', plan: planOf(inner), props }
        : undefined
    }
    case 'recursion':
      return undefined // handled by planOf, which knows all plans
  }
}

/** Reads a codec into a plan. Runs the definitions of recursive codecs, which may throw. */
export const planOf = (root: unknown): Plan => {
  const plans = new Map<unknown, Plan>()

  const recursion = (codec: unknown): Plan => {
    let made: Plan | undefined
    const plan: Plan = { _tag: 'Recursive', body: () => made ?? plan }
    plans.set(codec, plan)
    made = visit(part(codec, 'type'))
    return plan
  }

  const readonly = (codec: unknown): Plan | undefined => {
    const inner = part(codec, 'type')
    const same = part(codec, 'validate') === part(inner, 'validate')
    const plan = same ? visit(inner) : undefined
    return plan?._tag === 'Opaque' ? undefined : plan
  }

  const describe = (codec: unknown): Plan | undefined => {
    if (tagOf(codec) === 'ReadonlyType') return readonly(codec)
    const kind = kindOf(codec)
    if (kind === 'recursion' && tagOf(codec) === 'RecursiveType') return recursion(codec)
    if (kind !== undefined) return ofKind(kind, codec, visit)
    if (codec instanceof OpenType) return OpenType.isUntouched(codec) ? text : undefined
    const test = basicOf(codec)
    return test && { _tag: 'Basic', test }
  }

  const visit = (codec: unknown): Plan => {
    const existing = plans.get(codec)
    if (existing !== undefined) return existing
    if (!isCodec(codec)) throw new TypeError('not a codec')
    const plan = describe(codec) ?? { _tag: 'Opaque', codec }
    plans.set(codec, plan)
    return plan
  }

  const text: Plan = { _tag: 'Basic', test: 'string' }
  return visit(root)
}
