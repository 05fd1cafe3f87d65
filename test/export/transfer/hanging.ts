/** A destination in memory, one operation of which is held up. */
import type { Destination, Store } from '../../../src/export/index.js'
import type { Charge } from '../../../src/index.js'
import { memoryStore } from '../../store/memoryStore.js'

export const OPERATIONS = [
  ...(['resume', 'write', 'commit', 'finish', 'close'] as const),
  ...(['store.read', 'store.replace', 'settle'] as const),
]
export type Operation = (typeof OPERATIONS)[number]

/** Takes rows in memory; `hold`: what each call of the operation waits for. */
export const hanging = (at: Operation, hold: () => Promise<void>): Destination<Charge> => {
  const held =
    <Args extends ReadonlyArray<unknown>, T>(
      name: Operation,
      work: (...args: Args) => Promise<T>,
    ) =>
    async (...args: Args): Promise<T> => {
      if (name === at) await hold()
      return work(...args)
    }
  const texts = memoryStore()
  const store: Store = {
    ...texts,
    read: held('store.read', texts.read),
    replace: held('store.replace', texts.replace),
  }
  const step = async () => ({ own: {}, settle: held('settle', async () => {}) })
  return {
    ...{ name: 'memory', store, commitEvery: 0, rows: 'byId', check: () => undefined },
    resume: held('resume', async () => {}),
    write: held('write', async () => {}),
    reject: async () => {},
    commit: held('commit', step),
    finish: held('finish', step),
    close: held('close', async () => {}),
  }
}
