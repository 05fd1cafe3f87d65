/**
 * The remedy of a refusal, by the code of the service that refuses: the system, S3, Postgres, SQLite, Redis. Either the same command
 * a retry helps, or action is needed first; then the table says which. Codes that are not in it pass by themselves.
 */

// model

/** `again`: the same command again helps. `act`: it does not, until something is done. */
export type ErrorClass = 'again' | 'act'

/** The remedy of a refusal. */
export interface Remedy {
  readonly class: ErrorClass
  /** Advice, as the end of a message. */
  readonly advice?: string
}

const act = (advice?: string): Remedy =>
  advice === undefined ? { class: 'act' } : { class: 'act', advice }
const again = (advice?: string): Remedy =>
  advice === undefined ? { class: 'again' } : { class: 'again', advice }

// the table

const CERTIFICATE = act(
  'its certificate is not trusted: name the authority (sslrootcert of Postgres, NODE_EXTRA_CA_CERTS of others)',
)
const REDIRECTED = act('it redirects to another address, where nothing is sent: check the endpoint')
const REGION = act('check AWS_REGION: the bucket is in another region')
const EXPIRED = act('renew the credentials')
const ENDPOINT = act('check the endpoint')
const FULL = act('make room')

/** Codes of the system: https://nodejs.org/api/errors.html#common-system-errors */
const SYSTEM = {
  EACCES: act('check the rights of the file and its folder'),
  EPERM: act('check the rights of the file and its folder'),
  EROFS: act('the file system is read-only: name a folder on another one'),
  ENOSPC: FULL,
  EDQUOT: act('the quota is used up: make room, or have it raised'),
  EFBIG: act('the file would be larger than the file system or the limit of this process allows'),
  EISDIR: act(),
  ENOTDIR: act(),
  ELOOP: act(),
  ENAMETOOLONG: act('name it shorter'),
  EINVAL: act(),
  ENOTSUP: act(),
  EXDEV: act(),
  EMFILE: again('too many files are open'),
  ENFILE: again('too many files are open on this machine'),
  EBUSY: again(),
  EIO: again('the disk cannot be read or written: check it if this comes again'),
  // the network
  ENOTFOUND: act('there is no host of this name: check it'),
  EAI_AGAIN: again('the name server does not answer'),
  ECONNREFUSED: again('nothing listens there: check host and port if this comes again'),
  ECONNRESET: again(),
  EHOSTUNREACH: again(),
  ENETUNREACH: again(),
  EPIPE: again(),
  ETIMEDOUT: again(),
  // TLS
  EPROTO: act('it does not speak TLS'),
  ERR_SSL_WRONG_VERSION_NUMBER: act('it does not speak TLS'),
  ERR_TLS_CERT_ALTNAME_INVALID: act('its certificate is of another host: check the host'),
  CERT_HAS_EXPIRED: act('its certificate has expired: renew it, or set the clock of this machine'),
  CERT_NOT_YET_VALID: act('its certificate is not valid yet: set the clock of this machine'),
  DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT: CERTIFICATE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: CERTIFICATE,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE,
} as const

/** Codes of S3: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html */
const S3 = {
  NoSuchBucket: act('create the bucket, or correct its name'),
  InvalidBucketName: act('correct the name of the bucket'),
  AccessDenied: act(
    'the credentials need s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket there, and AWS_SERVER_SIDE_ENCRYPTION where the bucket requires encryption headers',
  ),
  AllAccessDisabled: act(),
  AccountProblem: act(),
  InvalidAccessKeyId: act('check AWS_ACCESS_KEY_ID'),
  SignatureDoesNotMatch: act('check AWS_SECRET_ACCESS_KEY'),
  InvalidToken: EXPIRED,
  ExpiredToken: EXPIRED,
  ExpiredTokenException: EXPIRED,
  RequestExpired: EXPIRED,
  AuthorizationHeaderMalformed: REGION,
  IllegalLocationConstraintException: REGION,
  PermanentRedirect: REGION,
  TemporaryRedirect: act('check AWS_REGION: the bucket is in another region, or is new'),
  RequestTimeTooSkewed: act(
    'the clock of this machine differs from that of the service: set it right',
  ),
  NotImplemented: act('the service cannot do this: use another one'),
  MethodNotAllowed: act(),
  InvalidRequest: act(),
  InvalidArgument: act(),
  InvalidStorageClass: act(),
  InvalidObjectState: act('it is archived: restore it'),
  EntityTooLarge: act(),
  KeyTooLongError: act('name a shorter prefix'),
  QuotaExceeded: act('the quota of the bucket or user is used up: have it raised'),
  XMinioStorageFull: FULL,
  XMinioAdminBucketQuotaExceeded: act('the quota of the bucket is used up: have it raised'),
  InsufficientStorage: FULL,
  TooLarge: act('the answer is longer than any that this package asks for: check the endpoint'),
  ForeignKey: act('the listing has keys that were not asked for: check the endpoint'),
  EndlessListing: act('the listing begins again and again: check the endpoint'),
  'KMS.DisabledException': act('enable the key'),
  'KMS.NotFoundException': act('check the key'),
  SlowDown: again('the storage is overloaded'),
  ServiceUnavailable: again(),
  InternalError: again(),
  RequestTimeout: again(),
  IncompleteBody: again(),
  NoSuchUpload: again('another run or a lifecycle rule removed the upload'),
  OperationAborted: again(),
  BadDigest: again(),
  InvalidPart: again(),
  Throttling: again('the storage is overloaded'),
  ThrottlingException: again('the storage is overloaded'),
  RequestLimitExceeded: again('the storage is overloaded'),
  // where a service says no code
  'HTTP 301': REDIRECTED,
  'HTTP 302': REDIRECTED,
  'HTTP 303': REDIRECTED,
  'HTTP 307': REDIRECTED,
  'HTTP 308': REDIRECTED,
  'HTTP 400': ENDPOINT,
  'HTTP 401': act('check the credentials'),
  'HTTP 403': act('check the credentials, and their rights'),
  'HTTP 404': ENDPOINT,
  'HTTP 405': ENDPOINT,
  'HTTP 501': act('the service cannot do this: use another one'),
  'HTTP 507': FULL,
} as const

const ALTER = act('change the table, or name another one')

/** States of Postgres, or the first two digits of them: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const POSTGRES = {
  '08': again('the connection was lost'),
  '0A': act(),
  '21': ALTER,
  '22': act(),
  '23': ALTER,
  '25': again(),
  '25006': act('it takes no changes: connect to the primary, not to a replica'),
  '28': act(
    'the server knows no such user, or refuses it from this host: check PGUSER or the URL, and pg_hba.conf',
  ),
  '28P01': act('wrong user or password: check the URL, or PGUSER and PGPASSWORD'),
  '3D000': act('there is no such database: create it, or check the URL'),
  '3F000': act(
    'there is no such schema, or no right to use it: create it, grant its use, or check --table',
  ),
  '40': again(),
  '42': act(),
  '42501': act('the user may not do this: grant it'),
  '42P07': again('another run creates it'),
  '44': ALTER,
  '53': again('the server is short of resources'),
  '53100': act('its disk is full: make room'),
  '53400': act(),
  '54': act(),
  '55': again(),
  '57': again('the server ended it'),
  '57P04': act('the database was dropped: create it, or check the URL'),
  '58': again(),
  '58P01': act(),
  P0: act('a trigger or function refuses it: change that, or name another table'),
  XX: act(),
} as const

/** Result codes of SQLite: https://sqlite.org/rescode.html */
const SQLITE = {
  SQLITE_ERROR: act(),
  SQLITE_PERM: act('check the rights of the file and its folder'),
  SQLITE_BUSY: again('another program has it locked: end it'),
  SQLITE_LOCKED: again('another program has it locked: end it'),
  SQLITE_NOMEM: again(),
  SQLITE_READONLY: act('it may not be written to: check the rights of the file and its folder'),
  SQLITE_IOERR: again('its disk cannot be read or written: check it if this comes again'),
  SQLITE_CORRUPT: act('the file is damaged: restore it, or remove it to start over'),
  SQLITE_FULL: FULL,
  SQLITE_CANTOPEN: act(
    'it cannot be opened: check that its folder is there, and may be written to',
  ),
  SQLITE_SCHEMA: again(),
  SQLITE_TOOBIG: act(),
  SQLITE_CONSTRAINT: ALTER,
  SQLITE_MISMATCH: ALTER,
  SQLITE_AUTH: act(),
  SQLITE_NOTADB: act('the file is no SQLite database: name another one'),
} as const

/** First words of refusals of Redis: https://redis.io/docs/latest/develop/reference/protocol-spec/#simple-errors */
const REDIS = {
  NOAUTH: act('it asks for a password: check the URL'),
  WRONGPASS: act('wrong user or password: check the URL'),
  NOPERM: act('the user needs the right to do this: check the ACL'),
  READONLY: act('it is a read-only replica: connect to the primary'),
  OOM: act('its memory is full: raise maxmemory, or make room'),
  MISCONF: act('it cannot save to its disk: make room, or check its configuration'),
  MOVED: act('it is a cluster: use a Redis that is none'),
  CROSSSLOT: act('it is a cluster: use a Redis that is none'),
  CLUSTERDOWN: again(),
  WRONGTYPE: act('a key of this name is of another program: choose another prefix'),
  NOREPLICAS: again('it has not enough replicas'),
  LOADING: again('it is reading its data'),
  BUSY: again('it is busy with a script'),
  MASTERDOWN: again('its primary is down'),
  TRYAGAIN: again(),
} as const

/** The table, by whoever refuses. */
export const remedies: Readonly<
  Record<'system' | 'S3' | 'Postgres' | 'SQLite' | 'Redis', Readonly<Record<string, Remedy>>>
> = { system: SYSTEM, S3, Postgres: POSTGRES, SQLite: SQLITE, Redis: REDIS }

const ALL = new Map<string, Remedy>(Object.values(remedies).flatMap((of) => Object.entries(of)))

// functions

/** A code of S3 that is not in the table, after the status that refuses. */
const UNLISTED = /^HTTP 4\d\d \w/

/** Returns what a refusal needs, by its code; a code that is not in the table passes by itself, unless its status refuses. */
export const remedyOf = (code: string): Remedy => {
  if (UNLISTED.test(code)) return { class: 'act' }
  const state = /^[0-9A-Z]{5}$/.test(code) ? ALL.get(code.slice(0, 2)) : undefined
  return ALL.get(code) ?? state ?? { class: 'again' }
}

/** Returns whether the table has a code. */
export const isKnown = (code: string): boolean => ALL.has(code)

/** Returns what to do about a refusal, as the end of a message: `: make room`; empty where the table says nothing. */
export const adviceOn = (code: string): string => {
  const { advice } = remedyOf(code)
  return advice === undefined ? '' : `: ${advice}`
}
