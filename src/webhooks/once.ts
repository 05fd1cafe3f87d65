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
      if (seen.size > remember) {
        for (const oldest of seen) {
          seen.delete(oldest)
          break
        }
      }
      return true
    },
  }
}
