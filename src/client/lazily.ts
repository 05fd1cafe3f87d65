/** Makers of the values of an object, by their names. */
export type Makers<T> = { readonly [Name in keyof T]: () => T[Name] }

/** Makes an object whose values are made when they are first read: a client has many calls, and a program uses few of them. */
export const lazily = <T extends object>(makers: Makers<T>): T => {
  const object = {}
  for (const name of Object.keys(makers)) {
    const get = (): unknown => {
      const value: unknown = Reflect.get(makers, name)()
      Object.defineProperty(object, name, { value, enumerable: true })
      return value
    }
    Object.defineProperty(object, name, { get, enumerable: true, configurable: true })
  }
  return object as T // it has the names of `makers`
}

/** Returns makers of the values of an object, which read them. */
export const reading = <T extends object>(object: T): Makers<T> =>
  Object.fromEntries(
    Object.keys(object).map((name) => [name, () => Reflect.get(object, name)]),
  ) as Makers<T> // of each of its names
