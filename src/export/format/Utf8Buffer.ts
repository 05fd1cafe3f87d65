import type { Allocate } from '../../stream/bytes.js'

const START_BYTES = 1 << 16

/** Text as bytes. Strings of lines would be half of what an export allocates, and take twice the time. */
export class Utf8Buffer {
  #size = 0
  #bytes: Uint8Array
  readonly #allocate: Allocate
  readonly #encoder = new TextEncoder()

  constructor(allocate: Allocate) {
    this.#allocate = allocate
    this.#bytes = allocate(START_BYTES)
  }

  append(text: string): void {
    const room = this.#room(3 * text.length).subarray(this.#size)
    this.#size += this.#encoder.encodeInto(text, room).written
  }

  appendByte(byte: number): void {
    this.#room(1)[this.#size++] = byte
  }

  /** Appends printable ASCII without commas and quotes. Appends nothing of another text, and returns `false`. */
  appendPlain(text: string): boolean {
    const bytes = this.#room(text.length)
    const start = this.#size
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code < 32 || code > 126 || code === 34 || code === 44) return false
      bytes[start + i] = code
    }
    this.#size = start + text.length
    return true
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#size)
  }

  #room(length: number): Uint8Array {
    const needed = this.#size + length
    if (needed > this.#bytes.length) this.#bytes = this.#allocate(2 * needed, this.#size)
    return this.#bytes
  }
}
