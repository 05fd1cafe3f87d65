import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves once `holds` returns true, however long that takes. */
export const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await sleep(10)
}
