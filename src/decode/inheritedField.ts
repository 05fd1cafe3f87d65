import { part, tagOf, typesOf } from './codecParts.js'
import { fieldAt } from './errorPath.js'
import { isRecord } from './unknown.js'

/**
 * Returns the path of the first field that the codec names and the value only inherits: an accessor of a class, or
 * a property of a prototype. A codec reads such a field; copies and JSON do not have it.
 */
export const inheritedField = (codec: unknown, value: unknown, at = ''): string | undefined => {
  switch (tagOf(codec)) {
    case 'ExactType':
    case 'ReadonlyType':
    case 'RefinementType':
    case 'RecursiveType':
    case 'RuledType':
    case 'LenientType':
      return inheritedField(part(codec, 'type'), value, at)
    case 'IntersectionType':
    case 'UnionType':
      return firstOf(typesOf(codec), (member) => inheritedField(member, value, at))
    case 'ArrayType':
    case 'ReadonlyArrayType':
      return Array.isArray(value)
        ? firstOf(value, (item, i) => inheritedField(part(codec, 'type'), item, `${at}[${i}]`))
        : undefined
    case 'InterfaceType':
    case 'PartialType':
    case 'StrictType':
      return isRecord(value) ? inFields(part(codec, 'props'), value, at) : undefined
    default:
      return undefined
  }
}

const inFields = (
  props: unknown,
  value: Readonly<Record<string, unknown>>,
  at: string,
): string | undefined =>
  firstOf(Object.keys(Object(props)), (name) => {
    const path = fieldAt(at, name)
    const field = value[name]
    if (field === undefined) return undefined
    return Object.prototype.propertyIsEnumerable.call(value, name)
      ? inheritedField(part(props, name), field, path)
      : path
  })

const firstOf = <A>(
  all: ReadonlyArray<A>,
  find: (one: A, i: number) => string | undefined,
): string | undefined => {
  for (const [i, one] of all.entries()) {
    const found = find(one, i)
    if (found !== undefined) return found
  }
  return undefined
}
