/** Reads elements of S3's XML responses in linear time for any input. */

/** Yields the content of each element of a name, up to an element without an end. Reads each character once. */
export function* elements(xml: string, name: string): Generator<string> {
  const [start, end] = [`<${name}>`, `</${name}>`]
  for (let from = xml.indexOf(start); from >= 0; ) {
    const to = xml.indexOf(end, from)
    if (to < 0) return
    yield xml.slice(from + start.length, to)
    from = xml.indexOf(start, to)
  }
}

/** Returns the text of the first element of a name; `undefined` if there is none. */
export const textOf = (xml: string, name: string): string | undefined => {
  const { value } = elements(xml, name).next()
  return typeof value === 'string' ? unescaped(value) : undefined
}

/** Returns the name of the root element; `undefined` if there is none. */
export const rootOf = (xml: string): string | undefined =>
  /^\s*(?:<\?xml[^>]*>\s*)?<(\w+)/.exec(xml)?.[1]

const ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  amp: '&',
}

const unescaped = (text: string): string =>
  text.replace(/&(#x[0-9a-f]{1,8}|#\d{1,8}|\w{1,8});/gi, (whole, name: string) => {
    if (!name.startsWith('#')) return Object.hasOwn(ENTITIES, name) ? `${ENTITIES[name]}` : whole
    const hex = /^#x/i.test(name)
    const code = hex ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
