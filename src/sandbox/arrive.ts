/** What comes by itself, so that lists move while they are read. */
import { batchThere } from './batches/generatedBatches.js'
import { add, next } from './Collection.js'
import type { Context } from './Context.js'
import type { Store } from './Store.js'
import { append } from './Table.js'

/** How many have come up to now, if one comes every so many ms. */
const due = (every: number, { now, began }: Context): number =>
  every > 0 ? Math.floor((now - began) / every) : 0

const withCharges = (state: Store, context: Context): Store => {
  const { account, began, settings } = context
  let all = state
  for (let n = state.arrived + 1; n <= due(settings.arrivals, context); n++) {
    const index = account.charges + all.made.length
    const charge = { ...account.arrival(index), index, at: began + n * settings.arrivals }
    all = { ...all, arrived: n, made: append(charge)(all.made) }
  }
  return all
}

const withBatches = (state: Store, context: Context): Store => {
  const { began, settings } = context
  let all = state
  for (let n = state.arrivedBatches + 1; n <= due(settings.batchArrivals, context); n++) {
    const at = began + n * settings.batchArrivals
    const batch = batchThere(next(all.batches), at, settings)
    all = { ...all, arrivedBatches: n, batches: add(batch)(all.batches) }
  }
  return all
}

/** The state with all that has come up to now. */
export const arrive = (state: Store, context: Context): Store =>
  withBatches(withCharges(state, context), context)
