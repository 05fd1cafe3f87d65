/** The destination of an export and its format, from its options: checked before anything is done. */
import type { Writable } from 'node:stream'
import { withoutPrototype, withoutUndefined } from '../fp.js'
import type { ListDescription } from '../http/list/List.js'
import { InvalidOption } from '../options/index.js'
import { isS3 } from '../store/S3Location.js'
import type { Shape } from './column/Shape.js'
import type { ExportOptions } from './ExportOptions.js'
import { type ByExtension, byExtension, EXTENSIONS, type Format } from './format/Format.js'
import { formatOfShape } from './format/formatOf.js'
import type { ExportSource } from './source/ExportSource.js'
import type { TakeRows } from './source/exportList.js'
import { isSecretColumn, shapeWithoutSecret } from './source/secretField.js'
import { isFolder } from './storage/openFiles.js'
import { openPath } from './storage/openPath.js'
import type { Destination } from './transfer/Destination.js'

// model

/** Where rows go, and its name for messages. */
export type GivenDestination<B> = { readonly name: string } & (
  | { readonly kind: 'file' | 'folder'; readonly out: string }
  | {
      readonly kind: 'stream'
      readonly open: () => Writable | WritableStream<Uint8Array<ArrayBuffer>>
    }
  | { readonly kind: 'function'; readonly take: TakeRows<Readonly<B>> }
  | { readonly kind: 'destination'; readonly destination: Destination<B> }
)

// constructors

/** Throws an `InvalidOption` for options that do not go with the destination. */
export const destinationOf = <A, B>(
  options: ExportOptions<A, B>,
  source: ExportSource<A>,
): GivenDestination<B> => {
  const { out } = options
  const to: GivenDestination<B> =
    typeof out === 'function'
      ? { kind: 'function', take: out, name: 'the function' }
      : typeof out !== 'string'
        ? 'commit' in out
          ? { kind: 'destination', destination: out, name: out.name }
          : { kind: 'stream', open: () => out, name: 'the stream' }
        : isFolder(out)
          ? { kind: 'folder', out, name: out }
          : options.inPlace === true
            ? { kind: 'stream', open: () => openPath(out, options.timer), name: out }
            : { kind: 'file', out, name: out }
  const leftOut = (names: ReadonlyArray<keyof ExportOptions<A, B>>, why: string): void => {
    const given = names.find((name) => options[name] !== undefined && options[name] !== false)
    if (given !== undefined) throw new InvalidOption(given, `left out: ${why}`)
  }
  const isPath = to.kind === 'file' || to.kind === 'folder'
  const isKept = isPath || (to.kind === 'destination' && to.destination.store !== undefined)
  if (!isKept)
    leftOut(KEPT, 'what went into a stream, a function or a path in place cannot be cut back')
  if (to.kind !== 'stream') leftOut(['endStream'], 'it is of streams')
  if (to.kind !== 'stream') leftOut(['inPlace'], 'it is of a path that is no folder')
  if (to.kind === 'function') leftOut(WRITTEN, 'a function takes rows as they are')
  if (to.kind === 'destination') {
    leftOut([...WRITTEN, ...OF_FILES], 'a destination of your own takes rows as they are')
  }
  if (to.kind !== 'folder') {
    leftOut(['rotateRows', 'rotateBytes'], 'one file has no parts, only a folder (out: "name/")')
  }
  if (isPath && isS3(to.name)) leftOut(['checkpoint'], 'a bucket has its own')
  if (options.resume === true) leftOut(['restart'], 'resume and restart contradict each other')
  checkSince(options, source, to.kind)
  return to
}

/** Options of what can be resumed. */
const KEPT = ['resume', 'restart', 'sinceLast', 'lookback', 'checkpoint', 'commitEvery'] as const

/** Options of files and folders. */
const OF_FILES = ['sinceLast', 'lookback', 'checkpoint'] as const

/** Options of what is written as bytes. */
const WRITTEN = ['format', 'compress', 'columns', 'amounts', 'formulas', 'rowGroup'] as const

const checkSince = <A, B>(
  { sinceLast = false, lookback }: ExportOptions<A, B>,
  source: ExportSource<A>,
  kind: GivenDestination<B>['kind'],
): void => {
  if (sinceLast === false) {
    if (lookback !== undefined) throw new InvalidOption('lookback', 'left out without sinceLast')
    return
  }
  if (source.since === undefined) {
    throw new InvalidOption('sinceLast', 'left out: only a snapshot is listed by time')
  }
  if (source.describe().query.from_created_at !== undefined) {
    throw new InvalidOption('sinceLast', 'left out: the snapshot has a from_created_at')
  }
  if (sinceLast === true && kind === 'file') {
    const expected = 'the manifest of the run before, or out a folder: a file has one run'
    throw new InvalidOption('sinceLast', expected)
  }
}

/** Makes the format of the rows. Throws an `InvalidOption` for one that does not go with the name of the file. */
export const formatFor = <B>(
  shape: Shape,
  options: Omit<ExportOptions<never, B>, 'filter' | 'map' | 'key'>,
  { numbers }: Pick<ListDescription<unknown>, 'numbers'>,
  kind: GivenDestination<B>['kind'],
): Format<B> => {
  const { out, columns, amounts, formulas, rowGroup } = options
  const named =
    typeof out === 'string' && kind !== 'folder'
      ? byExtension(out)
      : withoutPrototype<ByExtension>({})
  const compress = options.compress ?? named.compress
  if (named.compress !== undefined && compress !== named.compress) {
    throw new InvalidOption('compress', `'${named.compress}', as the name ${out} says`)
  }
  const format = options.format ?? named.format ?? 'ndjson'
  if (named.format !== undefined && format !== named.format) {
    throw new InvalidOption('format', `'${named.format}', as the name ${out} says`)
  }
  if (named.unknown !== undefined && options.format === undefined) {
    throw new InvalidOption(
      'out',
      `a name that ends in ${EXTENSIONS} (${named.unknown} says no format), or beside a format`,
    )
  }
  if (named.compress !== undefined && format === 'parquet') {
    throw new InvalidOption('out', 'NAME.parquet: Parquet is compressed inside, see compress')
  }
  if (amounts !== undefined && format !== 'parquet') {
    throw new InvalidOption('amounts', `left out: the format is ${format}, and not parquet`)
  }
  if (formulas === 'mask' && format !== 'csv') {
    throw new InvalidOption('formulas', `left out: the format is ${format}, and not csv`)
  }
  const hasSecret = shape._tag === 'Struct' && shape.fields.has('secret')
  const secret = hasSecret ? columns?.find(isSecretColumn) : undefined
  if (secret !== undefined) {
    throw new InvalidOption('columns', `without ${secret}: files hold no secret`)
  }
  return formatOfShape<B>(shapeWithoutSecret(shape))({
    format,
    numbers: options.numbers ?? numbers,
    ...withoutUndefined({ compress, columns, amounts, formulas, rowGroup }),
  })
}
