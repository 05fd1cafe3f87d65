/** Advice on failed connections: the fault and the thing to check, by the code of the system or of TLS. */

const NO_ROUTE = 'the host cannot be reached: check the network, firewalls and proxies'

const REFUSED =
  'nothing listens there: check host and port of baseUrl, and whether the service is running'

const SELF_SIGNED =
  'the certificate is signed by itself: if it is that of your own proxy or test server, name it in NODE_EXTRA_CA_CERTS'

const UNTRUSTED =
  'the authority of the certificate is not known: the server may leave out a certificate between them, or a proxy opens TLS: name the missing one in NODE_EXTRA_CA_CERTS'

const OTHER_HOST = 'the certificate is that of another host: check the host of baseUrl'

const NO_TLS = 'the server does not speak TLS there: check the port of baseUrl, and https or http'

const ADVICE: ReadonlyMap<string, string> = new Map([
  ['ENOTFOUND', 'no host has this name: check the spelling of baseUrl, and DNS'],
  ['EAI_AGAIN', 'the name of the host cannot be looked up: check the network, and DNS'],
  ['ECONNREFUSED', REFUSED],
  ['ConnectionRefused', REFUSED], // Bun
  ['EHOSTUNREACH', NO_ROUTE],
  ['ENETUNREACH', NO_ROUTE],
  ['ETIMEDOUT', NO_ROUTE],
  [
    'CERT_HAS_EXPIRED',
    'the certificate of the server has expired: check the clock of this machine, or have the certificate renewed',
  ],
  ['CERT_NOT_YET_VALID', 'the certificate is not valid yet: check the clock of this machine'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', SELF_SIGNED],
  ['SELF_SIGNED_CERT_IN_CHAIN', SELF_SIGNED],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', UNTRUSTED],
  ['UNABLE_TO_GET_ISSUER_CERT', UNTRUSTED],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNTRUSTED],
  ['ERR_TLS_CERT_ALTNAME_INVALID', OTHER_HOST],
  ['HOSTNAME_MISMATCH', OTHER_HOST],
  [
    'BLOCKED_PORT',
    'fetch blocks this port, which is that of another protocol: check the port of baseUrl',
  ],
  ['ERR_SSL_WRONG_VERSION_NUMBER', NO_TLS],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', NO_TLS],
])

/** Returns one sentence; `undefined` for a code that says nothing of the cause. */
export const connectionAdvice = (code: string): string | undefined => ADVICE.get(code)
