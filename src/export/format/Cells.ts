import type { Allocate } from '../../stream/reusable.js'

/** Bytes to begin with. */
const ROOM = 1 << 16

const QUOTE = 34
const COMMA = 44
const POINT = 46
const ZERO = 48
const CR = 13
const LF = 10
const LAST_ASCII = 127

/** Integers of so many bits are cheap, and doubles tell their hundredths apart. */
const FEW = 2 ** 31

/** Whether a letter takes more than one byte. */
const isOther = (code: number): boolean => code > LAST_ASCII

/** Whether a letter takes more than one byte, or a cell with it takes quotes. */
const isSpecial = (code: number): boolean =>
  code > LAST_ASCII ||
  (code <= COMMA && (code === COMMA || code === QUOTE || code === CR || code === LF))

/**
 * Cells of CSV as bytes, in a place. Most are ASCII that needs no quotes: they are put letter by letter.
 * That takes as long as joining texts and encoding them, and leaves nothing to be collected: half of what
 * an export allocates would be texts of lines.
 */
export class Cells {
  #at = 0
  #bytes: Uint8Array
  readonly #allocate: Allocate
  readonly #encoder = new TextEncoder()

  constructor(allocate: Allocate) {
    this.#allocate = allocate
    this.#bytes = allocate(ROOM)
  }

  /** A text as it is; or as `mask` makes it, if there is something in it that needs that. */
  text(text: string, mask: (text: string) => string): void {
    if (!this.#put(text, isSpecial)) this.#encoded(mask(text))
  }

  /** A text as it is. */
  plain(text: string): void {
    if (!this.#put(text, isOther)) this.#encoded(text)
  }

  /** A number as `String` has it. Nearly all are amounts of two places, whose digits are put one by one. */
  number(value: number): void {
    const hundredths = Math.round(value * 100)
    if (hundredths > 0 && hundredths < FEW && hundredths / 100 === value) this.#amount(hundredths)
    else this.plain(String(value))
  }

  comma(): void {
    this.#room(1)[this.#at++] = COMMA
  }

  endLine(): void {
    const bytes = this.#room(2)
    bytes[this.#at++] = CR
    bytes[this.#at++] = LF
  }

  /** All that was put. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#at)
  }

  /** Puts a text letter by letter, unless there is one among them that cannot be put so. */
  #put(text: string, isNot: (code: number) => boolean): boolean {
    const { length } = text
    const bytes = this.#room(length)
    const start = this.#at
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i)
      if (isNot(code)) return false
      bytes[start + i] = code
    }
    this.#at = start + length
    return true
  }

  #amount(hundredths: number): void {
    const places = hundredths % 100 === 0 ? 0 : hundredths % 10 === 0 ? 1 : 2
    let digits = places === 0 ? hundredths / 100 : places === 1 ? hundredths / 10 : hundredths
    let length = places + 1
    for (let next = 10 ** length; digits >= next; next *= 10) length++
    if (places > 0) length++
    const bytes = this.#room(length)
    const start = this.#at
    this.#at += length
    for (let at = this.#at - 1; at >= start; at--) {
      if (places > 0 && at === this.#at - 1 - places) {
        bytes[at] = POINT
      } else {
        bytes[at] = ZERO + (digits % 10)
        digits = Math.trunc(digits / 10)
      }
    }
  }

  #encoded(text: string): void {
    const rest = this.#room(3 * text.length).subarray(this.#at)
    this.#at += this.#encoder.encodeInto(text, rest).written
  }

  #room(length: number): Uint8Array {
    const needed = this.#at + length
    if (needed > this.#bytes.length) this.#bytes = this.#allocate(2 * needed, this.#at)
    return this.#bytes
  }
}
