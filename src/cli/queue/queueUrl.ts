/** The URL of the Redis of a queue. Nothing of one that is refused is shown: it may have a password anywhere. */
import { E } from '../../fp.js'
import { UsageError } from '../output.js'

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

/**
 * Checks a URL as the driver reads it: user and password are escaped as in any URL, and it leads to this machine, or goes by
 * TLS, unless `isPlain`. Throws a `UsageError`.
 */
export const queueUrl = (text: string | undefined, variable: string, isPlain: boolean): URL => {
  if (text === undefined || text === '') {
    throw new UsageError(`--queue or ${variable} should have the URL of a Redis`)
  }
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^rediss?:$/.test(url.protocol) || url.host === '') {
    throw new UsageError('--queue should be redis://HOST or rediss://HOST')
  }
  const { username, password, pathname, search, hash } = url
  const escaped = E.tryCatch(
    () => [username, password].map(decodeURIComponent),
    () => undefined,
  )
  // a password with one of these ends earlier, and the host is a part of it
  const isWhole = text.split('@').length <= 2 && hash === '' && !search.includes('@')
  if (E.isLeft(escaped) || !isWhole || !/^\/?\d*$/.test(pathname)) {
    throw new UsageError(
      '--queue should be redis://USER:PASSWORD@HOST:PORT/DB, with the user and the password escaped as encodeURIComponent does',
    )
  }
  if (url.protocol === 'rediss:' || isPlain || LOOPBACK.test(url.hostname)) return url
  throw new UsageError(
    `--queue: Redis at ${url.host} is on another machine: use rediss:// (TLS), or allow plain text with --plain-redis`,
  )
}
