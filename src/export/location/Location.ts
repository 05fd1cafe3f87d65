/** Parses a path or URL once, into a value that all other code matches on. */
import { basename } from 'node:path'
import { InvalidOption } from '../../options/index.js'
import { type PostgresUrl, readPostgresUrl } from './postgresUrl.js'

/** A file or a folder of this machine, an object of a bucket, or a bucket with a prefix. */
export interface FilesLocation {
  readonly kind: 'file' | 'folder' | 'object' | 'bucket'
  /** The location, as given. */
  readonly name: string
  /** A path or URL that ends with a slash; empty for the working directory of the process. */
  readonly folder: string
  /** The name of the single file in the folder; empty for a folder or a bucket. */
  readonly file: string
}

/** The location of rows, or of a text. `name` is for messages and contains no secret. */
export type Location =
  | FilesLocation
  | { readonly kind: 'sqlite'; readonly name: string }
  | (PostgresUrl & { readonly kind: 'postgres' })
  | { readonly kind: 'stdout'; readonly name: string }

type LocationKind = Location['kind']

/** The location of a destination that contains each row once. */
export type MergedLocation = Location & { readonly kind: (typeof MERGED)[number] }

/** Syntax of locations, by kind. */
const FORMS: Readonly<Record<LocationKind, string>> = {
  file: 'a file on this machine',
  folder: 'FOLDER/',
  object: 's3://BUCKET/FILE',
  bucket: 's3://BUCKET/PREFIX/',
  sqlite: 'NAME.sqlite, NAME.db',
  postgres: 'postgres://HOST/DATABASE',
  stdout: '- (stdout)',
}

const OF_DISK = ['file', 'folder'] as const
const OF_BUCKET = ['object', 'bucket'] as const

export const FILES = [...OF_DISK, ...OF_BUCKET] as const

/** Kinds of locations whose rows can be counted. */
export const COPIES = [...FILES, 'sqlite', 'postgres'] as const

/** Kinds of destinations that contain each row once. */
export const MERGED = ['sqlite', 'postgres', 'folder', 'bucket'] as const

/**
 * Parses a location. Throws an `InvalidOption` for a location of another kind, for an unknown URL, such as `https://` or
 * `s3:/BUCKET`, and for a `~` that the shell did not expand.
 */
export const locationOf = <K extends LocationKind>(
  option: string,
  text: string,
  kinds: ReadonlyArray<K>,
): Location & { readonly kind: K } => {
  const location = read(option, text)
  if (isOf(kinds, location)) return location
  const forms = kinds.map((kind) => FORMS[kind]).join(', ')
  const hint = text.startsWith('~')
    ? ' (only shells resolve ~)'
    : location?.kind === 'sqlite'
      ? ' (a name that ends with .sqlite or .db is a database)'
      : ''
  throw new InvalidOption(option, `${forms.replace(/, (?=[^,]*$)/, ' or ')}${hint}`)
}

const isOf = <K extends LocationKind>(
  kinds: ReadonlyArray<K>,
  location: Location | undefined,
): location is Location & { readonly kind: K } => kinds.some((kind) => kind === location?.kind)

const read = (option: string, text: string): Location | undefined => {
  if (text === '-') return { kind: 'stdout', name: 'stdout' }
  if (/^postgres(ql)?:/i.test(text)) return { kind: 'postgres', ...readPostgresUrl(text, option) }
  if (/^(?!s3:\/\/)[A-Za-z][\w+.-]+:\/|^~[\w-]*\//.test(text)) return undefined
  const files = filesOf(text)
  const isDatabase = files.kind === 'file' && /\.(sqlite|db)$/.test(text)
  return isDatabase ? { kind: 'sqlite', name: text } : files
}

/** Returns the location of a path, or of an S3 URL. A name that ends with a slash is a folder. */
export const filesOf = (text: string): FilesLocation => {
  const file = /[\\/]$/.test(text) ? '' : basename(text)
  return filesAt(text.slice(0, text.length - file.length), file)
}

const filesAt = (folder: string, file: string): FilesLocation => {
  const [one, several] = /^s3:/.test(folder) ? OF_BUCKET : OF_DISK
  return { kind: file === '' ? several : one, name: `${folder}${file}`, folder, file }
}

export const isInBucket = ({ kind }: Pick<FilesLocation, 'kind'>): boolean =>
  OF_BUCKET.some((one) => one === kind)

/** Returns the folder that a location names, even if it has no slash at the end. */
export const folderAt = ({ name, file }: FilesLocation): FilesLocation =>
  filesAt(file === '' ? name : `${name}/`, '')

/** Returns a file in the same folder, or the folder itself for `''`. */
export const fileAt = ({ folder }: FilesLocation, file: string): FilesLocation =>
  filesAt(folder, file)
