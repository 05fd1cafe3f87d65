/** Objects in memory, for tests. */
import type { Objects } from '../../../src/export/folder/Objects.js'

export const memoryObjects = (): Objects & {
  readonly files: Map<string, Uint8Array<ArrayBuffer>>
} => {
  const files = new Map<string, Uint8Array<ArrayBuffer>>()
  return {
    files,
    nameOf: (key) => `memory/${key}`,
    get: async (key) => {
      const bytes = files.get(key)
      return bytes && { bytes }
    },
    put: async (key, bytes) => {
      files.set(key, Uint8Array.from(bytes))
    },
    remove: async (key) => {
      files.delete(key)
    },
    list: async (prefix) =>
      [...files].flatMap(([key, { length: size }]) =>
        key.startsWith(prefix) ? [{ key, size }] : [],
      ),
  }
}
