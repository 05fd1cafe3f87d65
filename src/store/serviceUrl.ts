/** URLs of databases with user and password: read by one grammar, so that no part of a password is taken for a host, shown or looked up. */

// model

/** A URL that means the same to each parser. */
export interface ServiceUrl {
  /** The whole, with `%25` for a `%` that escapes nothing. */
  readonly url: string
  /** Host and port, as they stand. */
  readonly host: string
  /** What comes after the slash. */
  readonly path: string
  readonly query: string
}

/** User and password, host and port, one name, parameters. A password may have an `@`. */
const PARTS =
  /^\/\/([^/?#]*@)?((?:[a-z\d._-]|%[a-f\d]{2})*|\[[a-f\d:.]+\])(:\d{1,5})?(?:\/([^/?#@]*))?(?:\?([^#@]*))?$/i

/** Reads the rest of a URL after its scheme; undefined for one that could mean another host than its author meant. */
export const readServiceUrl = (text: string): ServiceUrl | undefined => {
  const url = text.replaceAll(/%(?![\da-f]{2})/gi, '%25')
  const [whole, user = '', host = '', port = '', path = '', query = ''] =
    PARTS.exec(url.replace(/^[a-z]+:/i, '')) ?? []
  if (whole === undefined || !URL.canParse(url)) return undefined
  if (/[\s\p{Cc}]/u.test(url) || ![user, host, path].every(isText)) return undefined
  return { url, host: `${host}${port}`, path, query }
}

/** How such a URL is written, as the end of a message. */
export const ESCAPES = 'in a user or password write / as %2F, # as %23, ? as %3F and a space as %20'

/** Returns whether its escapes make UTF-8. */
const isText = (part: string): boolean => {
  try {
    decodeURIComponent(part)
    return true
  } catch {
    return false
  }
}
