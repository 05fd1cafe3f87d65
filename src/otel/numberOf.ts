/** Numbers of the clients that one meter measures, by their schedulers. */
import type { IO } from '../fp.js'

/** The schedulers of the clients of a meter, by their numbers; shared by all copies of this package. */
const CLIENTS = Symbol.for('payments-rx.clients')

export interface NumberedClient {
  readonly number: number
  /** Returns true if no client with a lower number has the same scheduler, which is measured once. */
  readonly isFirst: IO<boolean>
  /** Makes the number free again. */
  readonly leave: IO<void>
}

/**
 * Returns the lowest number, from 1, that no other client of a meter has. It distinguishes their metrics, and does not change
 * after a restart. `preferred`: used if free.
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
