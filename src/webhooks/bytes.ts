/** Bytes, and Web Crypto to sign them. All bytes are new: no caller can change them while they are verified. */
import { joinBytes } from '../stream/bytes.js'

export const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

export const concat = (parts: ReadonlyArray<Uint8Array>): Uint8Array<ArrayBuffer> =>
  joinBytes(parts, (length) => new Uint8Array(length))

/** `undefined` for what is no hexadecimal text, in either case. */
export const fromHex = (text: string): Uint8Array<ArrayBuffer> | undefined =>
  /^([0-9a-f]{2})+$/i.test(text)
    ? Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
    : undefined

/** In lower case. */
export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Returns Web Crypto of this runtime; throws an error that says why where there is none. */
export const subtle = (): SubtleCrypto => {
  const found: SubtleCrypto | undefined = globalThis.crypto?.subtle
  if (found === undefined) throw new TypeError(MISSING)
  return found
}

const MISSING = 'crypto.subtle is not there: a page has it only over HTTPS, or from this machine'

/**
 * Compares an HMAC in one turn, in constant time, where the platform has Node's crypto: Web Crypto takes several turns, in
 * which virtual time would pass. Returns `undefined` elsewhere.
 */
export const isHmacAtOnce = (
  hash: string,
  { secret, message }: { readonly secret: string; readonly message: Uint8Array },
  signature: Uint8Array,
): boolean | undefined => {
  const node = globalThis.process?.getBuiltinModule?.('node:crypto')
  if (node === undefined) return undefined
  const made = node.createHmac(hash.replace('-', ''), secret).update(message).digest()
  return made.length === signature.length && node.timingSafeEqual(made, signature)
}
