/** Whether an id is new, as far as the last so many are remembered. */
export const once = (remember: number): ((id: string) => boolean) => {
  const seen = new Set<string>()
  return (id) => {
    if (seen.has(id)) return false
    seen.add(id)
    if (seen.size > remember) {
      for (const oldest of seen) {
        seen.delete(oldest)
        break
      }
    }
    return true
  }
}
