/** Advice on failed connections, by error code of the system or of TLS: whether a retry helps, and which setting to check. */

/**
 * The class of a failure. `again`: a retry helps. `act`: fix the cause first. `locked`: another run is using the destination.
 * `look`: it may have succeeded, so check before you repeat it.
 */
export type ErrorClass = 'again' | 'act' | 'locked' | 'look'

/** The class of a refusal, with advice. */
export interface Remedy {
  readonly class: ErrorClass
  /** Advice that is appended to the message. */
  readonly advice?: string
}

const remedy =
  (kind: ErrorClass) =>
  (advice?: string): Remedy =>
    advice === undefined ? { class: kind } : { class: kind, advice }

export const act = remedy('act')
export const again = remedy('again')

const NO_ROUTE = again('the host cannot be reached: check the network, firewalls and proxies')
const REFUSED = again(
  'nothing is listening there: check the host and port, and that the service is running',
)
const NO_TLS = act(
  'the server does not use TLS on this port: check the port, and whether the URL should start with https or http',
)
const OTHER_HOST = act(
  'the certificate of the server is for another host name: check the host name',
)
const SELF_SIGNED = act(
  'the certificate of the server is self-signed: if it belongs to your own proxy or test server, set NODE_EXTRA_CA_CERTS (Postgres: sslrootcert) to a file with that certificate',
)
const UNTRUSTED = act(
  'the certificate of the server is signed by an unknown CA: the server may not send its intermediate certificate, or a proxy may intercept TLS; set NODE_EXTRA_CA_CERTS (Postgres: sslrootcert) to a file with the missing certificate',
)

/** Advice for connections to any service, by code. */
export const connections = {
  ENOTFOUND: act('the host name does not exist: check its spelling and the DNS settings'),
  EAI_AGAIN: again('the host name cannot be looked up: check the network and the DNS settings'),
  ECONNREFUSED: REFUSED,
  ConnectionRefused: REFUSED, // Bun
  ECONNRESET: again(),
  EPIPE: again(),
  UND_ERR_SOCKET: again('the connection was closed early'),
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  ETIMEDOUT: NO_ROUTE,
  BLOCKED_PORT: act(
    'fetch blocks this port, which is reserved for another protocol: check the port',
  ),
  UND_ERR_INVALID_ARG: act(
    'fetch rejects an argument: a dispatcher, such as an Agent, works only with fetch from the same copy of undici',
  ),
  INVALID_ARGUMENT: act('fetch rejects an argument of this request'),
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ERR_TLS_CERT_ALTNAME_INVALID: OTHER_HOST,
  HOSTNAME_MISMATCH: OTHER_HOST,
  CERT_HAS_EXPIRED: act(
    'the certificate of the server has expired: check the clock of this machine, or have the certificate renewed',
  ),
  CERT_NOT_YET_VALID: act('the certificate is not valid yet: check the clock of this machine'),
  DEPTH_ZERO_SELF_SIGNED_CERT: SELF_SIGNED,
  SELF_SIGNED_CERT_IN_CHAIN: SELF_SIGNED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
} as const satisfies Readonly<Record<string, Remedy>>

const ADVICE = new Map<string, Remedy>(Object.entries(connections))

/** Returns advice in one sentence; `undefined` for a code that does not show the cause. */
export const connectionAdvice = (code: string): string | undefined => ADVICE.get(code)?.advice
