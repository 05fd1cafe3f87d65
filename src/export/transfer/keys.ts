/** Answers with the keys that were added since it was asked last. */
export const addedTo = (keys: ReadonlySet<string>): (() => ReadonlyArray<string>) => {
  const all = keys.values() // finds those that are added later, until it came to an end
  let taken = 0
  return () => {
    const added: Array<string> = []
    for (; taken < keys.size; taken++) {
      const { value } = all.next()
      if (value !== undefined) added.push(value)
    }
    return added
  }
}
