/** What must not show. */

/** Replaces every occurrence of the secrets; those shorter than four characters would hit by chance. */
export const scrubber =
  (secrets: ReadonlyArray<string>) =>
  (text: string): string =>
    secrets
      .filter((secret) => secret.length >= 4)
      .reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)

/** Nested deeper than this, a value is cut. */
const DEPTH = 50

/** A value with `scrub` applied to all that it holds, the names of fields among them. */
export const scrubAll =
  (scrub: (text: string) => string, depth = DEPTH): ((u: unknown) => unknown) =>
  (u) => {
    if (typeof u === 'string') return scrub(u)
    if (typeof u === 'number') return scrub(String(u)) === String(u) ? u : scrub(String(u))
    if (typeof u !== 'object' || u === null) return u
    if (depth === 0) return '[...]'
    const inner = scrubAll(scrub, depth - 1)
    return Array.isArray(u)
      ? u.map(inner)
      : Object.fromEntries(Object.entries(u).map(([name, value]) => [scrub(name), inner(value)]))
  }

/** Whether a text can stand in a header: `fetch` would refuse another one by repeating it. */
export const fitsHeader = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]+$/.test(text)
