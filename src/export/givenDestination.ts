/** Determines the destination of an export and its format from the options, after checking them. */
import type { Writable } from 'node:stream'
import { withoutPrototype, withoutUndefined } from '../fp.js'
import { InvalidOption } from '../options/index.js'
import type { Shape } from './column/Shape.js'
import type { ExportOptions } from './ExportOptions.js'
import { functionDestination } from './file/streamDestination.js'
import { type ByExtension, byExtension, EXTENSIONS, type Format } from './format/Format.js'
import { formatOfShape } from './format/formatOf.js'
import { FILES, type FilesLocation, isInBucket, locationOf } from './location/Location.js'
import { isSecretColumn, shapeWithoutSecret } from './source/secretField.js'
import { openPath } from './storage/openPath.js'
import type { Destination } from './transfer/Destination.js'

/** Files on a disk or in a bucket, and the location of their state unless it is next to them. */
export interface FilesGiven {
  readonly kind: 'files'
  readonly at: FilesLocation
  readonly checkpoint: FilesLocation | undefined
}

/** The destination of rows, its name in messages, and the name of its single file (empty if there is none). */
export type GivenDestination<B> = { readonly name: string; readonly file: string } & (
  | FilesGiven
  | {
      readonly kind: 'stream'
      readonly open: () => Writable | WritableStream<Uint8Array<ArrayBuffer>>
    }
  | { readonly kind: 'destination'; readonly destination: Destination<B> }
)

/** Throws an `InvalidOption` for options that do not match the destination. */
export const destinationOf = <A, B>(options: ExportOptions<A, B>): GivenDestination<B> => {
  const to = read(options)
  const leftOut = (names: ReadonlyArray<keyof ExportOptions<A, B>>, why: string): void => {
    const given = names.find((name) => options[name] !== undefined && options[name] !== false)
    if (given !== undefined) throw new InvalidOption(given, `omitted: ${why}`)
  }
  const isKept =
    to.kind === 'files' || (to.kind === 'destination' && to.destination.store !== undefined)
  if (!isKept) leftOut(KEPT, 'output to a stream or in place cannot be resumed')
  if (to.kind !== 'stream') leftOut(['endStream'], 'it is only for streams')
  if (to.kind !== 'stream') leftOut(['inPlace'], 'it is only for a path that is not a folder')
  if (to.kind === 'destination') {
    leftOut(
      [...WRITTEN, 'checkpoint'],
      'a function or your own destination receives unformatted rows',
    )
  }
  if (to.kind !== 'files' || to.file !== '') {
    leftOut(['rotateRows', 'rotateBytes'], 'only a folder (FOLDER/) is split into several files')
  }
  if (to.kind === 'files' && isInBucket(to.at))
    leftOut(['checkpoint'], 'a bucket stores its own checkpoint')
  if (options.resume === true) leftOut(['restart'], 'resume and restart cannot be used together')
  return to
}

const read = <A, B>(options: ExportOptions<A, B>): GivenDestination<B> => {
  const { out, checkpoint, inPlace = false, timer } = options
  if (typeof out === 'function') return ownOf(functionDestination(out))
  if (typeof out !== 'string') {
    if ('commit' in out) return ownOf(out)
    return { kind: 'stream', open: () => out, name: 'the stream', file: '' }
  }
  const at = locationOf('out', out, FILES)
  const { name, file } = at
  return inPlace && at.kind === 'file'
    ? { kind: 'stream', open: () => openPath(name, timer), name, file }
    : {
        ...{ kind: 'files', at, name, file },
        checkpoint:
          checkpoint === undefined ? checkpoint : locationOf('checkpoint', checkpoint, ['file']),
      }
}

const ownOf = <B>(destination: Destination<B>): GivenDestination<B> => ({
  ...{ kind: 'destination', destination, name: destination.name, file: '' },
})

/** Options for destinations that can be resumed. */
const KEPT = ['resume', 'restart', 'checkpoint', 'commitEvery'] as const

/** Options for destinations that are written as bytes. */
const WRITTEN = ['format', 'compress', 'columns', 'amounts', 'formulas', 'rowGroup'] as const

/** Creates the format of the rows. Throws an `InvalidOption` for a format that does not match the file name. */
export const formatFor = <B>(
  shape: Shape,
  options: Omit<ExportOptions<never, B>, 'filter' | 'map' | 'key'>,
  file: string,
): Format<B> => {
  const { columns, amounts, formulas, rowGroup } = options
  const named = withoutPrototype<ByExtension>(byExtension(file))
  const compress = options.compress ?? named.compress
  if (named.compress !== undefined && compress !== named.compress) {
    throw new InvalidOption('compress', `'${named.compress}', to match the file name ${file}`)
  }
  const format = options.format ?? named.format ?? 'ndjson'
  if (named.format !== undefined && format !== named.format) {
    throw new InvalidOption('format', `'${named.format}', to match the file name ${file}`)
  }
  if (named.unknown !== undefined && options.format === undefined) {
    throw new InvalidOption(
      'out',
      `a name that ends in ${EXTENSIONS}, because ${named.unknown} is not a known format; or set the option format`,
    )
  }
  if (named.compress !== undefined && format === 'parquet') {
    throw new InvalidOption(
      'out',
      'NAME.parquet, because Parquet is compressed internally (see compress)',
    )
  }
  if (amounts !== undefined && format !== 'parquet') {
    throw new InvalidOption('amounts', `omitted: the format is ${format}, not parquet`)
  }
  if (formulas === 'mask' && format !== 'csv') {
    throw new InvalidOption('formulas', `omitted: the format is ${format}, not csv`)
  }
  const hasSecret = shape._tag === 'Struct' && shape.fields.has('secret')
  const secret = hasSecret ? columns?.find(isSecretColumn) : undefined
  if (secret !== undefined) {
    throw new InvalidOption('columns', `without ${secret}, because files must not contain secrets`)
  }
  return formatOfShape<B>(shapeWithoutSecret(shape))({
    format,
    ...withoutUndefined({ compress, columns, amounts, formulas, rowGroup }),
  })
}
