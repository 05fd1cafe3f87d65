/** Methods of a client: each takes one argument, is created on first use, and can be replaced by a test. */
import type { IO } from '../fp.js'
import { InvalidOption, is } from '../options/index.js'
import { callTable } from './ClientOptions.js'

export type Makers<T> = { readonly [Name in keyof T]: () => T[Name] }

type Method = (params: unknown, second?: unknown) => unknown

/** Creates methods as plain properties; `place` precedes their names in errors, such as `charges.`. */
export const methodsOf = <T extends object>(place: string, makers: Makers<T>): T => {
  const methods = {}
  for (const name in makers) Reflect.set(methods, name, methodOf(`${place}${name}`, makers[name]))
  return methods as T // has the names of `makers`, and the values that they create
}

/**
 * Creates a method with one argument. Throws an `InvalidOption` for a second argument, which would be ignored, unless it is the
 * index that `map` and `mergeMap` add.
 */
export const methodOf = <M>(name: string, make: () => M): M => {
  let made: Method | undefined
  const method: Method = (params, second) => {
    if (second !== undefined && typeof second !== 'number') throw secondArgument(name, second)
    made ??= make() as Method // values are always functions here
    return made(params)
  }
  return method as M
}

const secondArgument = (name: string, given: unknown): InvalidOption => {
  const names = is.isObject(given) ? Object.keys(given) : []
  const options = names.filter((option) => Object.hasOwn(callTable, option))
  const shown = options.length === 0 ? '...' : options.map((option) => `${option}: ...`).join(', ')
  const isKey = names.some((option) => /idempot|request.?id/i.test(option))
  const key = isKey ? '; a request_id is a field of the first argument' : ''
  return new InvalidOption(
    'the second argument',
    `omitted: ${name} takes one argument; to set options for a call, use payments.with({ ${shown} })${key}`,
    `${name}: `,
  )
}

/**
 * Returns the calls of another lane, except for methods of the client that a test has replaced: those are called instead, so a
 * stub of `submit` also works in `payAll`. `original`: the methods as created.
 */
export const unlessReplaced = <T extends object>(
  methods: IO<object>,
  original: IO<object>,
  own: T,
): T =>
  Object.fromEntries(
    Object.entries<Method>(own as Record<string, Method>).map(([name, call]) => [
      name,
      (params: unknown) => {
        const now: Method = Reflect.get(methods(), name)
        return (now === Reflect.get(original(), name) ? call : now)(params)
      },
    ]),
  ) as T // has the same names
