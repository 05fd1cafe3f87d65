import fc from 'fast-check'

/** Holds a property against random values, as `fc.assert` of an `fc.property`. */
export const forAll = <Ts extends [unknown, ...ReadonlyArray<unknown>]>(
  ...property: Parameters<typeof fc.property<Ts>>
): void => fc.assert(fc.property<Ts>(...property))
