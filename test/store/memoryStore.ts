import type { Store } from '../../src/store/Store.js'

/** A store in memory, whose changes are each one step. */
export const memoryStore = (changed: (text: string | undefined) => void = () => {}): Store => {
  const texts = new Map<string, { readonly text: string; readonly version: string }>()
  let versions = 0
  return {
    read: async (name) => texts.get(name),
    replace: async (name, text, version) => {
      if (texts.get(name)?.version !== version) return undefined
      const fresh = String(++versions)
      texts.set(name, { text, version: fresh })
      changed(text)
      return fresh
    },
    remove: async (name, version) => {
      if (texts.get(name)?.version !== version) return false
      texts.delete(name)
      changed(undefined)
      return true
    },
  }
}
