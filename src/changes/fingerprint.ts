/** Short hashes that identify rows and their versions. Not cryptographic: they can be forged. */

/** Characters that need no escaping in JSON and URLs. Each encodes 6 bits. */
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Returns a hash of a text as up to 10 characters of 6 bits each. (Two rounds of MurmurHash3's mixing, as in cyrb53.) */
export const fingerprint = (text: string, length: number): string => {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    a = Math.imul(a ^ code, 2_654_435_761)
    b = Math.imul(b ^ code, 1_597_334_677)
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909)
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909)
  let shown = ''
  for (let digit = 0; digit < length; digit++) {
    const half = digit < 5 ? a : b
    shown += DIGITS[(half >>> ((digit % 5) * 6)) & 63]
  }
  return shown
}
