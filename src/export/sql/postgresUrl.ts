/** URLs of Postgres. */
import { InvalidOption } from '../../options/index.js'
import { ESCAPES, readServiceUrl } from '../../store/serviceUrl.js'

// model

/** A URL as the driver reads it. */
export interface PostgresUrl {
  readonly url: string
  /** Names the database in messages: without user, password and parameters, one of which may be a password, too. */
  readonly name: string
  readonly sslmode: string | undefined
}

/** Values of `sslmode` that the driver knows. */
const SSLMODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

/** Returns whether a text was meant to be a URL of Postgres. */
export const isPostgres = (to: string): boolean => /^postgres(ql)?:/i.test(to)

/** Reads a URL. Throws an `InvalidOption` for one that could mean another host or database than its author meant. */
export const readPostgresUrl = (text: string): PostgresUrl => {
  const read = readServiceUrl(text)
  if (read === undefined || read.path === '') {
    throw new InvalidOption('to', `postgres://USER:PASSWORD@HOST:PORT/DATABASE; ${ESCAPES}`)
  }
  const { url, host, path, query } = read
  const { sslmode } = Object.fromEntries(new URLSearchParams(query))
  if (sslmode !== undefined && !SSLMODES.includes(sslmode)) {
    throw new InvalidOption('to', `a URL whose sslmode is one of ${SSLMODES.join(', ')}`)
  }
  return { url, name: `postgres://${host}/${path}`, sslmode }
}
