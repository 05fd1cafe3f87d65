/** Bytes, and Web Crypto to sign them. All bytes are copies, which no caller can change during verification. */
import { joinBytes } from '../stream/bytes.js'

export const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

export const concat = (parts: ReadonlyArray<Uint8Array>): Uint8Array<ArrayBuffer> =>
  joinBytes(parts, (length) => new Uint8Array(length))

/** Parses hexadecimal digits in either letter case. Returns `undefined` for any other text. */
export const fromHex = (text: string): Uint8Array<ArrayBuffer> | undefined =>
  /^([0-9a-f]{2})+$/i.test(text)
    ? Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
    : undefined

/** Returns bytes as lower-case hexadecimal digits. */
export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Returns this runtime's Web Crypto. Throws an error with the reason if there is none. */
export const subtle = (): SubtleCrypto => {
  const found: SubtleCrypto | undefined = globalThis.crypto?.subtle
  if (found === undefined) throw new TypeError(MISSING)
  return found
}

const MISSING =
  'crypto.subtle is missing: browsers provide it only to pages loaded over HTTPS or from this machine'

/**
 * Compares an HMAC synchronously and in constant time if the runtime has Node's crypto. Web Crypto takes several turns, in
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
