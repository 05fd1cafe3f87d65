/** Files in memory, for tests. */
import type { MergedFiles } from '../../../src/export/folder/pieces.js'

export const memoryFiles = (): MergedFiles & {
  readonly all: Map<string, Uint8Array<ArrayBuffer>>
} => {
  const all = new Map<string, Uint8Array<ArrayBuffer>>()
  return {
    all,
    nameOf: (name) => `memory/${name}`,
    get: async (name) => all.get(name),
    put: async (name, bytes) => {
      all.set(name, Uint8Array.from(bytes))
    },
    remove: async (name) => {
      all.delete(name)
    },
    size: async (name) => all.get(name)?.length,
    tidy: async () => {},
    unremoved: () => [],
    list: async (isOurs, prefix = '') =>
      [...all].flatMap(([name, { length: size }]) =>
        name.startsWith(prefix) && isOurs(name) ? [{ name, size }] : [],
      ),
  }
}
