/** JSON text in which numbers keep the digits that `JSON.stringify` would round (`JSON.rawJSON` needs Node 22). */

/** A number in JSON text with its exact digits, if the text is a plain decimal. Any other number becomes the nearest double. */
export class JsonNumber {
  readonly digits: string

  constructor(digits: string) {
    this.digits = digits.replace(/^0+(?=\d)/, '') // JSON has no leading zeros
  }

  toJSON(): number {
    return Number(this.digits)
  }
}

/** Writes a value like `JSON.stringify`, but writes each `JsonNumber` with its exact digits. */
export const jsonText = (u: unknown): string => {
  const numbers: Array<string> = []
  let mark = 'number-'
  function digits(this: unknown, key: string, json: unknown): unknown {
    const original: unknown = Reflect.get(Object(this), key)
    return original instanceof JsonNumber ? `${mark}${numbers.push(original.digits) - 1}` : json
  }
  const text = JSON.stringify(u, digits)
  if (numbers.length === 0) return text
  const plain = JSON.stringify(u)
  if (!plain.includes(mark)) return restored(text, mark, numbers)
  while (plain.includes(mark)) mark = `-${mark}`
  numbers.length = 0
  return restored(JSON.stringify(u, digits), mark, numbers)
}

const restored = (text: string, mark: string, numbers: ReadonlyArray<string>): string =>
  text.replace(new RegExp(`"${mark}(\\d+)"`, 'g'), (_, at: string) => numbers[Number(at)] ?? '')
