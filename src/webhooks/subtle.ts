/** Web Crypto of this runtime; throws an error that says why where there is none. */
export const subtle = (): SubtleCrypto => {
  const found: SubtleCrypto | undefined = globalThis.crypto?.subtle
  if (found === undefined) throw new TypeError(MISSING)
  return found
}

const MISSING = 'crypto.subtle is not there: a page has it only over HTTPS, or from this machine'
