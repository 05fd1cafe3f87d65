/** URLs of Postgres, read by one grammar, so that no part of a password is taken for a host, shown or looked up. */
import { InvalidOption } from '../../options/index.js'

// model

/** A URL that means the same to each parser. */
export interface PostgresUrl {
  /** The whole, with `%25` for a `%` that escapes nothing. */
  readonly url: string
  /** Names the database in messages: without user, password and parameters, one of which may be a password, too. */
  readonly name: string
  readonly sslmode: string | undefined
  /** Its parameters. */
  readonly query: string
  readonly password: string
}

/** User and password, host and port, one name, parameters. A password may have an `@`. */
const PARTS =
  /^\/\/([^/?#]*@)?((?:[a-z\d._-]|%[a-f\d]{2})*|\[[a-f\d:.]+\])(:\d{1,5})?(?:\/([^/?#@]*))?(?:\?([^#@]*))?$/i

/** How a URL is written, as the end of a message. */
const ESCAPES = 'in a user or password write / as %2F, # as %23, ? as %3F and a space as %20'

/** Values of `sslmode` that the driver knows. */
const SSLMODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

// functions

/** Returns whether a text was meant to be a URL of Postgres. */
export const isPostgres = (to: string): boolean => /^postgres(ql)?:/i.test(to)

/** Reads a URL. Throws an `InvalidOption` for one that could mean another host or database than its author meant. */
export const readPostgresUrl = (text: string): PostgresUrl => {
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
    throw new InvalidOption('to', `postgres://USER:PASSWORD@HOST:PORT/DATABASE; ${ESCAPES}`)
  }
  const { sslmode, password } = Object.fromEntries(new URLSearchParams(query))
  if (sslmode !== undefined && !SSLMODES.includes(sslmode)) {
    throw new InvalidOption('to', `a URL whose sslmode is one of ${SSLMODES.join(', ')}`)
  }
  const secret = password ?? decodeURIComponent(new URL(url).password)
  return { url, name: `postgres://${host}${port}/${path}`, sslmode, query, password: secret }
}

/** Returns whether its escapes make UTF-8. */
const isText = (part: string): boolean => {
  try {
    decodeURIComponent(part)
    return true
  } catch {
    return false
  }
}
