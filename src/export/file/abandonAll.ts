import type { Destination } from './Destination.js'

/** Gives up one after the other, also after one that cannot be closed; then fails with the first error. */
export const abandonAll = async (
  all: Iterable<Pick<Destination<never>, 'abandon'>>,
): Promise<void> => {
  const errors: Array<unknown> = []
  for (const one of all) {
    try {
      await one.abandon()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}
