import { fieldAt, looksNamed } from '../errorPath.js'
import { isRecord } from '../unknown.js'
import { type Counter, type Counting, sizeOf } from './Fact.js'

/** Looks at a value. */
export type Watcher = (u: unknown) => void

export interface Field {
  readonly key: string
  readonly optional: boolean
  readonly watch: Watcher | undefined
}

/** What is to be done with an object that has these keys in this order. */
interface Shape {
  readonly keys: ReadonlyArray<string>
  readonly counters: ReadonlyArray<Counter>
  readonly within: ReadonlyArray<{ readonly key: string; readonly watch: Watcher }>
}

/** Whether an object has these keys in this order, without making a list of its own. */
const hasKeys = (u: object, keys: ReadonlyArray<string>): boolean => {
  let i = 0
  for (const key in u) {
    if (keys[i] !== key) return false
    i++
  }
  return i === keys.length
}

/**
 * Looks at objects. Those of a service have mostly the same keys in the same order, so what is to be
 * done with the last one is kept. Where it is not `closed`, fields may be named elsewhere.
 */
export const watchObject = (
  path: string,
  fields: ReadonlyArray<Field>,
  counting: Counting,
  closed: boolean,
): Watcher => {
  const named = new Map(fields.map((field) => [field.key, field]))
  const optional = fields.filter((field) => field.optional)
  const missed = new Set<string>()

  const shapeOf = (keys: ReadonlyArray<string>, u: Record<string, unknown>): Shape => {
    const present = new Set(keys)
    const counters = keys.flatMap((key) => {
      const field = named.get(key)
      if (field === undefined) {
        return closed
          ? [counting(fieldAt(path, looksNamed(key) ? key : '*'), 'unknown field', sizeOf(u[key]))]
          : []
      }
      return field.optional && missed.has(key)
        ? [counting(fieldAt(path, key), 'optional field', sizeOf(u[key]))]
        : []
    })
    for (const { key } of optional) if (!present.has(key)) missed.add(key)
    const within = fields.flatMap(({ key, watch }) =>
      watch !== undefined && present.has(key) ? [{ key, watch }] : [],
    )
    return { keys, counters, within }
  }

  let last: Shape | undefined
  return (u) => {
    if (!isRecord(u)) return
    if (last === undefined || !hasKeys(u, last.keys)) last = shapeOf(Object.keys(u), u)
    for (const counter of last.counters) counter.count++
    for (const { key, watch } of last.within) watch(u[key])
  }
}
