/**
 * Remedies by error code of the system, S3, Postgres and SQLite. Either rerunning the command helps, or the user must fix the
 * cause first, and the table says how. Codes that are not listed are treated as temporary.
 */
import { act, again, connections, type Remedy } from '../http/transport/connectionAdvice.js'

// the table

const REDIRECTED = act(
  'it redirects to another address, but redirects are not followed: check the endpoint',
)
const REGION = act('check AWS_REGION: the bucket is in another region')
const EXPIRED = act('renew the credentials')
const ENDPOINT = act('check the endpoint')
const FULL = act('free some space')

/** Codes of the system: https://nodejs.org/api/errors.html#common-system-errors */
const SYSTEM = {
  EACCES: act('check the permissions of the file and its folder'),
  EPERM: act('check the permissions of the file and its folder'),
  EROFS: act('the file system is read-only: use a folder on another one'),
  ENOSPC: FULL,
  EDQUOT: act('the quota is used up: free some space, or ask for a larger one'),
  EFBIG: act('the file would be larger than the file system or the limit of this process allows'),
  EISDIR: act(),
  ENOTDIR: act(),
  ELOOP: act(),
  ENAMETOOLONG: act('use a shorter name'),
  EINVAL: act(),
  ENOTSUP: act(),
  EXDEV: act(),
  EMFILE: again('too many files are open'),
  ENFILE: again('too many files are open on this machine'),
  EBUSY: again(),
  EIO: again('the disk cannot be read or written: check it if this happens again'),
  ...connections,
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
  RequestTimeTooSkewed: act("the clock of this machine differs from the service's: correct it"),
  NotImplemented: act('the service does not support this operation: use another service'),
  MethodNotAllowed: act(),
  InvalidRequest: act(),
  InvalidArgument: act(),
  InvalidStorageClass: act(),
  InvalidObjectState: act('it is archived: restore it'),
  EntityTooLarge: act(),
  KeyTooLongError: act('use a shorter prefix'),
  QuotaExceeded: act('the quota of the bucket or user is used up: ask for a larger one'),
  XMinioStorageFull: FULL,
  XMinioAdminBucketQuotaExceeded: act('the quota of the bucket is used up: ask for a larger one'),
  InsufficientStorage: FULL,
  TooLarge: act('the response is longer than expected: check the endpoint'),
  ForeignKey: act('the listing has keys that were not requested: check the endpoint'),
  EndlessListing: act('the listing never ends: check the endpoint'),
  'KMS.DisabledException': act('enable the KMS key'),
  'KMS.NotFoundException': act('check the KMS key'),
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
  // if a service sends no code
  'HTTP 301': REDIRECTED,
  'HTTP 302': REDIRECTED,
  'HTTP 303': REDIRECTED,
  'HTTP 307': REDIRECTED,
  'HTTP 308': REDIRECTED,
  'HTTP 400': ENDPOINT,
  'HTTP 401': act('check the credentials'),
  'HTTP 403': act('check the credentials, and their permissions'),
  'HTTP 404': ENDPOINT,
  'HTTP 405': ENDPOINT,
  'HTTP 501': act('the service does not support this operation: use another service'),
  'HTTP 507': FULL,
} as const

const ALTER = act('change the table, or use another one')

/** Error codes of Postgres, or their first two digits: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const POSTGRES = {
  '08': again('the connection was lost'),
  '0A': act(),
  '21': ALTER,
  '22': act(),
  '23': ALTER,
  '25': again(),
  '25006': act('it is read-only: connect to the primary, not to a replica'),
  '28': act(
    'the user does not exist, or may not connect from this host: check PGUSER or the URL, and pg_hba.conf',
  ),
  '28P01': act('wrong user or password: check the URL, or PGUSER and PGPASSWORD'),
  '3D000': act('create the database, or check the URL'),
  '3F000': act(
    'the schema does not exist, or the user may not use it: create it, grant USAGE, or check --table',
  ),
  '40': again(),
  '42': act(),
  '42501': act('the user lacks a permission: grant it'),
  '42P07': again('another run is creating it'),
  '44': ALTER,
  '53': again('the server is short of resources'),
  '53100': act('its disk is full: free some space'),
  '53400': act(),
  '54': act(),
  '55': again(),
  '57': again('the server ended the session'),
  '57014': act(
    'a statement was canceled: raise statement_timeout (ALTER ROLE ... SET statement_timeout = ...), unless somebody canceled it',
  ),
  '57P04': act('the database was dropped: create it, or check the URL'),
  '58': again(),
  '58P01': act(),
  P0: act(
    'a trigger or function rejected it: change that trigger or function, or use another table',
  ),
  XX: act(),
} as const

/** Result codes of SQLite: https://sqlite.org/rescode.html */
const SQLITE = {
  SQLITE_ERROR: act(),
  SQLITE_PERM: act('check the permissions of the file and its folder'),
  SQLITE_BUSY: again('another program has locked it: stop that program'),
  SQLITE_LOCKED: again('another program has locked it: stop that program'),
  SQLITE_NOMEM: again(),
  SQLITE_READONLY: act('it cannot be written to: check the permissions of the file and its folder'),
  SQLITE_READONLY_DBMOVED: act(
    'the file was removed or replaced by another program: stop that program, then run the same command',
  ),
  SQLITE_IOERR: again('its disk cannot be read or written: check it if this happens again'),
  SQLITE_CORRUPT: act('the file is damaged: restore it, or remove it to start over'),
  SQLITE_FULL: FULL,
  SQLITE_CANTOPEN: act('it cannot be opened: check that its folder exists and is writable'),
  SQLITE_SCHEMA: again(),
  SQLITE_TOOBIG: act(),
  SQLITE_CONSTRAINT: ALTER,
  SQLITE_MISMATCH: ALTER,
  SQLITE_AUTH: act(),
  SQLITE_NOTADB: act('the file is not a SQLite database: use another one'),
} as const

/** The table, by source of the code. */
export const remedies: Readonly<
  Record<'system' | 'S3' | 'Postgres' | 'SQLite', Readonly<Record<string, Remedy>>>
> = { system: SYSTEM, S3, Postgres: POSTGRES, SQLite: SQLITE }

const ALL = new Map<string, Remedy>(Object.values(remedies).flatMap((of) => Object.entries(of)))

// functions

/** A 4xx status with an S3 code that is not in the table. */
const UNLISTED = /^HTTP 4\d\d \w/

/** Returns the remedy for a code. A code that is not listed is temporary unless its status is 4xx. */
export const remedyOf = (code: string): Remedy => {
  if (UNLISTED.test(code)) return { class: 'act' }
  const state = /^[0-9A-Z]{5}$/.test(code) ? ALL.get(code.slice(0, 2)) : undefined
  return ALL.get(code) ?? state ?? { class: 'again' }
}

export const isKnown = (code: string): boolean => ALL.has(code)

/** Returns the advice for a refusal, to append to a message: `: free some space`. Empty if the table has no advice. */
export const adviceOn = (code: string): string => {
  const { advice } = remedyOf(code)
  return advice === undefined ? '' : `: ${advice}`
}
