/** Objects and a store in memory, for tests. */
import type { Objects } from '../../../src/export/folder/Objects.js'
import type { Store, VersionedText } from '../../../src/export/store/Store.js'

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
      [...files.keys()].filter((key) => key.startsWith(prefix)).map((key) => ({ key })),
  }
}

export const memoryStore = (): Store => {
  const texts = new Map<string, VersionedText>()
  let changes = 0
  return {
    read: async (name) => texts.get(name),
    replace: async (name, text, version) => {
      if (texts.get(name)?.version !== version) return undefined
      const next = String(++changes)
      texts.set(name, { text, version: next })
      return next
    },
    remove: async (name, version) => texts.get(name)?.version === version && texts.delete(name),
  }
}
