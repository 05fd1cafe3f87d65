/** The files named in a Postgres URL: certificates and a key. They are checked before the driver reads them. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import { withoutUndefined } from '../../fp.js'
import { codeOf } from '../../store/FileSystem.js'
import { type ExportError, exportError } from '../ExportError.js'
import type { PostgresUrl } from '../location/postgresUrl.js'

/** Parameters that name a file, and the expected content of the file. Each check throws for any other content. */
const FILES: Readonly<Record<string, readonly [what: string, check: (pem: string) => unknown]>> = {
  sslrootcert: ['a PEM certificate', (pem) => new X509Certificate(pem)],
  sslcert: ['a PEM certificate', (pem) => new X509Certificate(pem)],
  sslkey: ['a PEM private key without a passphrase', createPrivateKey],
}

/** Throws an `UnusableDestination` that names the parameter and its file if the file is missing, or is not a certificate. */
export const checkCertificates = ({ name, query, password }: PostgresUrl): void => {
  const given = new Map<string, string>()
  for (const [option, path] of new URLSearchParams(query)) {
    const [what, check] = FILES[option] ?? []
    if (what === undefined || check === undefined || path === '') continue
    // a part of a password that contains a question mark may end up here
    const isSecret = password !== '' && path.includes(password)
    const shown = isSecret ? option : `${option}=${path}`
    const unusable = (why: string, error: unknown): ExportError => {
      const details = { destination: name, ...withoutUndefined({ code: codeOf(error) }) }
      return exportError('UnusableDestination', `cannot write ${name}: ${shown} ${why}`, details)
    }
    let pem: string
    try {
      pem = readFileSync(path, 'utf8')
    } catch (error) {
      throw unusable(`cannot be read (${codeOf(error)}): set it to a file with ${what}`, error)
    }
    try {
      check(pem)
    } catch (error) {
      throw unusable(`is not ${what}: set it to the right file`, error)
    }
    given.set(option, pem)
  }
  const [cert, key] = [given.get('sslcert'), given.get('sslkey')]
  if (cert === undefined || key === undefined) return
  try {
    createSecureContext({ cert, key })
  } catch {
    const why = `cannot write ${name}: the key in sslkey does not belong to the certificate in sslcert: use a matching pair`
    throw exportError('UnusableDestination', why, { destination: name })
  }
}
