/** Numbers of the clients that one meter measures, given by their schedulers. */
import type { IO } from '../fp.js'

/** The schedulers of a meter's clients, by number. All copies of this package share them. */
const CLIENTS = Symbol.for('payments-rx.clients')

export interface NumberedClient {
  readonly number: number
  /** Returns true if no client with a lower number has this scheduler. Each scheduler is measured only once. */
  readonly isFirst: IO<boolean>
  /** Frees the number. */
  readonly leave: IO<void>
}

/**
 * Returns the lowest number, from 1, that no other client of a meter has. It distinguishes the metrics of clients, and does not
 * change after a restart. `preferred`: the number to use if it is free.
 */
export const numberOf = (
  meter: object,
  scheduler: object,
  preferred: number | undefined,
): NumberedClient => {
  const clients = clientsOf(meter)
  const number = preferred === undefined || clients.has(preferred) ? firstFree(clients) : preferred
  clients.set(number, scheduler)
  const isFirst = (): boolean =>
    [...clients].every(([other, one]) => one !== scheduler || other >= number)
  return { number, isFirst, leave: () => clients.delete(number) }
}

const clientsOf = (meter: object): Map<number, object> => {
  const existing: unknown = Reflect.get(meter, CLIENTS)
  if (existing instanceof Map) return existing
  const clients = new Map<number, object>()
  Object.defineProperty(meter, CLIENTS, { value: clients })
  return clients
}

const firstFree = (clients: ReadonlyMap<number, object>): number => {
  let number = 1
  while (clients.has(number)) number++
  return number
}
