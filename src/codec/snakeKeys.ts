const snake = (key: string): string => key.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()

const isCamel = (key: string): boolean => /^[a-z][A-Za-z0-9]*$/.test(key) && /[A-Z]/.test(key)

/**
 * The same value with keys such as `requestId` written `request_id`, at every depth. What is under
 * `metadata` is the caller's own and stays. A key that is there in both spellings stays as well.
 */
export const snakeKeys = (u: unknown): unknown => {
  if (Array.isArray(u)) return u.map(snakeKeys)
  if (typeof u !== 'object' || u === null) return u
  return Object.fromEntries(
    Object.entries(u).map(([key, value]) => [
      isCamel(key) && !Object.hasOwn(u, snake(key)) ? snake(key) : key,
      key === 'metadata' ? value : snakeKeys(value),
    ]),
  )
}
