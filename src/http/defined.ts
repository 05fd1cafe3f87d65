/** What is given: an option that is `undefined` is one that was left out, and hides no default. */
export const defined = <A extends object>(options: A): A => {
  const given = { ...options }
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) Reflect.deleteProperty(given, name)
  }
  return given
}
