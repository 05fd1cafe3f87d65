/** URLs of Postgres: read once, by one grammar, so that no part of a password is taken for a host, shown or looked up. */
import { InvalidOption } from '../../options/index.js'

// model

/** A URL as the driver reads it. */
export interface PostgresUrl {
  /** For the driver: a `%` that escapes nothing is written as `%25`. */
  readonly url: string
  /** Names the database in messages: without user, password and parameters, one of which may be a password, too. */
  readonly name: string
  readonly sslmode: string | undefined
}

/** Values of `sslmode` that the driver knows. */
const SSLMODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

/** Scheme, user and password, host and port, database, parameters. A password may have an `@`. */
const URL_PARTS =
  /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?((?:[a-z\d._-]|%[a-f\d]{2})*|\[[a-f\d:.]+\])(:\d{1,5})?\/([^/?#@]+)(?:\?([^#@]*))?$/i

/** Returns whether a text was meant to be a URL of Postgres. */
export const isPostgres = (to: string): boolean => /^postgres(ql)?:/i.test(to)

/** Reads a URL. Throws an `InvalidOption` for one that could mean another host or database than its author meant. */
export const readPostgresUrl = (text: string): PostgresUrl => {
  const url = text.replaceAll(/%(?![\da-f]{2})/gi, '%25')
  const [, host = '', port = '', database = '', query = ''] = URL_PARTS.exec(url) ?? []
  if (database === '' || !URL.canParse(url) || !isText(database) || !isText(host)) {
    throw new InvalidOption('to', SHAPE)
  }
  const { sslmode } = Object.fromEntries(new URLSearchParams(query))
  if (sslmode !== undefined && !SSLMODES.includes(sslmode)) {
    throw new InvalidOption(
      'to',
      `a URL with sslmode=${SSLMODES.join(', ').replace(/, (?=[^,]*$)/, ' or ')}`,
    )
  }
  return { url, name: `postgres://${host}${port}/${database}`, sslmode }
}

const SHAPE =
  'postgres://USER:PASSWORD@HOST:PORT/DATABASE: in a user, a password or a name write / as %2F, # as %23, ? as %3F and @ as %40; or set PGUSER and PGPASSWORD'

/** Escapes that make UTF-8. */
const isText = (part: string): boolean => {
  try {
    decodeURIComponent(part)
    return true
  } catch {
    return false
  }
}
