/** Parses Postgres URLs with one grammar, so that no part of a password is mistaken for a host, shown or resolved. */
import { didYouMean, InvalidOption, similarName } from '../../options/index.js'

/** A URL that all parsers interpret identically. */
export interface PostgresUrl {
  /** The whole URL, with `%25` for each `%` that is not part of an escape. */
  readonly url: string
  /** Name of the database in messages, without user, password and parameters, which may also hold a password. */
  readonly name: string
  readonly sslmode: string | undefined
  readonly query: string
  readonly password: string
  /** Names of parameters for other tools, such as `pgbouncer`. The driver does not know them. */
  readonly ignored: ReadonlyArray<string>
}

/** User and password, host and port, database name, parameters. A password may contain `@`. */
const PARTS =
  /^\/\/([^/?#]*@)?((?:[a-z\d._-]|%[a-f\d]{2})*|\[[a-f\d:.]+\])(:\d{1,5})?(?:\/([^/?#@]*))?(?:\?([^#@]*))?$/i

/** Escaping rules of a URL, appended to a message. */
const ESCAPES = 'in a user or password write / as %2F, # as %23, ? as %3F and a space as %20'

/** Values of `sslmode` that the driver knows. */
const SSLMODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

/** Parameters that the driver reads: https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS */
const PARAMETERS = [
  ...['host', 'port', 'user', 'password', 'database', 'application_name'],
  ...['fallback_application_name', 'client_encoding', 'options', 'keepalives', 'connect_timeout'],
  ...['statement_timeout', 'lock_timeout', 'query_timeout', 'idle_in_transaction_session_timeout'],
  ...['ssl', 'sslmode', 'sslcert', 'sslkey', 'sslrootcert', 'sslnegotiation', 'uselibpqcompat'],
]

/** Parameters of other tools that name a schema. */
const SCHEMA = /^(current_?schema|schemas?|search_?path)$/i

/** Parses a URL. Throws an `InvalidOption` if the URL could name another host or database than intended. */
export const readPostgresUrl = (text: string, option: string): PostgresUrl => {
  const refuse = (expected: string): never => {
    throw new InvalidOption(option, expected)
  }
  const url = text.replaceAll(/%(?![\da-f]{2})/gi, '%25')
  const [whole, user = '', host = '', port = '', path = '', query = ''] =
    PARTS.exec(url.replace(/^[a-z]+:/i, '')) ?? []
  const isRead =
    whole !== undefined &&
    path !== '' &&
    URL.canParse(url) &&
    !/[\s\p{Cc}]/u.test(url) &&
    [user, host, path].every(isText)
  if (!isRead) {
    return refuse(`postgres://USER:PASSWORD@HOST:PORT/DATABASE; ${ESCAPES}`)
  }
  const { sslmode, password } = Object.fromEntries(new URLSearchParams(query))
  if (sslmode !== undefined && !SSLMODES.includes(sslmode)) {
    return refuse(`a URL whose sslmode is one of ${SSLMODES.join(', ')}`)
  }
  const names = [...new URLSearchParams(query).keys()]
  const ignored = names.filter((name) => !PARAMETERS.includes(name))
  for (const name of ignored) {
    if (SCHEMA.test(name)) {
      return refuse(`a URL without ${name}: name the schema with --table SCHEMA.NAME`)
    }
    const meant = similarName(name, PARAMETERS)
    if (meant === undefined) continue
    return refuse(`a URL with known parameters, but ${name} is unknown${didYouMean(meant)}`)
  }
  const secret = password ?? decodeURIComponent(new URL(url).password)
  return {
    url,
    name: `postgres://${host}${port}/${path}`,
    sslmode,
    query,
    password: secret,
    ignored,
  }
}

/** Returns true if the escapes decode to valid UTF-8. */
const isText = (part: string): boolean => {
  try {
    decodeURIComponent(part)
    return true
  } catch {
    return false
  }
}
