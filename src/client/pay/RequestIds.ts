/**
 * A set of strings, stored as 64-bit hashes. It takes 12 to 34 bytes per string, whatever its length. About one in 2^64 pairs
 * of strings is taken for equal by mistake, so a string that seems repeated is compared afterwards.
 */
export class RequestIds {
  #high = new Uint32Array(FIRST_SLOTS)
  #low = new Uint32Array(FIRST_SLOTS)
  #size = 0

  /** Adds a string. Returns true if it, or one with the same hash, had already been added. */
  add(text: string): boolean {
    if (this.#size >= this.#high.length * MOST_FILLED) this.#grow()
    const [high, low] = hashOf(text)
    return this.#put(high, low)
  }

  /** Returns true if the string, or one with the same hash, was added. */
  has(text: string): boolean {
    const [high, low] = hashOf(text)
    return this.#high[this.#slotOf(high, low)] !== 0
  }

  #put(high: number, low: number): boolean {
    const slot = this.#slotOf(high, low)
    if (this.#high[slot] !== 0) return true
    this.#high[slot] = high
    this.#low[slot] = low
    this.#size++
    return false
  }

  /** Returns the slot of a hash, or the empty slot in which to store it. */
  #slotOf(high: number, low: number): number {
    const mask = this.#high.length - 1
    let slot = low & mask
    while (this.#high[slot] !== 0 && (this.#high[slot] !== high || this.#low[slot] !== low)) {
      slot = (slot + 1) & mask
    }
    return slot
  }

  #grow(): void {
    const high = this.#high
    const low = this.#low
    this.#high = new Uint32Array(high.length * 2)
    this.#low = new Uint32Array(high.length * 2)
    this.#size = 0
    for (const [slot, value] of high.entries()) if (value !== 0) this.#put(value, low[slot] ?? 0)
  }
}

const FIRST_SLOTS = 1_024

/** Share of used slots at which the number of slots is doubled, to keep searches short. */
const MOST_FILLED = 0.7

/** Returns two hashes of 32 bits (cyrb53 by bryc, public domain). The first is never 0, because 0 marks an empty slot. */
const hashOf = (text: string): readonly [high: number, low: number] => {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 2_654_435_761)
    b = Math.imul(b ^ unit, 1_597_334_677)
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909)
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909)
  return [b >>> 0 || 1, a >>> 0]
}
