/** Ids, as far as the last so many are remembered. */
export interface Once {
  /** Whether it came before. */
  readonly has: (id: string) => boolean
  /** Whether it is new; the next time it is not. */
  readonly isNew: (id: string) => boolean
}

export const once = (remember: number): Once => {
  const seen = new Set<string>()
  return {
    has: (id) => seen.has(id),
    isNew: (id) => {
      if (seen.has(id)) return false
      seen.add(id)
      const [oldest = id] = seen
      if (seen.size > remember) seen.delete(oldest)
      return true
    },
  }
}
