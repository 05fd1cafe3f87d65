/** Where an export goes and how it is written, from what was said on the command line. */

import { type ByExtension, byExtension, EXTENSIONS } from '../../export/format/byExtension.js'
import { needZstd } from '../../export/format/compress.js'
import type { Compression, FormatName, FormatOptions } from '../../export/index.js'
import { isFolder, Unsupported } from '../../export/index.js'
import { defined } from '../../fp.js'
import { UsageError } from '../output.js'
import { checkPlaces, isFolderThere } from './places.js'

// model

export interface OutputFlags {
  readonly out: string
  readonly format?: FormatName
  readonly compress?: Compression
  readonly columns?: ReadonlyArray<string>
  readonly amounts?: 'decimal' | 'text'
  readonly exact: boolean
  readonly safeCells: boolean
  readonly rotateRows?: number
  readonly rotateBytes?: number
  readonly checkpoint?: string
  readonly report?: string
  readonly resume: boolean
  readonly restart: boolean
  readonly sinceLast?: true | string
  readonly lookback?: number
}

export interface OutputPlan {
  /** `-`, a file, or a folder with a slash at its end. */
  readonly out: string
  readonly kind: 'stdout' | 'file' | 'folder'
  readonly options: FormatOptions
}

// constructors

/** Throws a `WrongUse` that names the option. */
export const outputPlan = async (flags: OutputFlags): Promise<OutputPlan> => {
  const lacksSlash = !isFolder(flags.out) && (await isFolderThere(flags.out))
  const out = lacksSlash ? `${flags.out}/` : flags.out
  const kind = out === '-' ? 'stdout' : isFolder(out) ? 'folder' : 'file'
  check(kind, flags)
  const named: ByExtension = kind === 'file' ? byExtension(out) : {}
  const compress = flags.compress ?? named.compress
  if (named.compress !== undefined && compress !== named.compress) {
    throw new UsageError(`--compress ${compress} does not go with the name ${out}`)
  }
  const format = flags.format ?? named.format ?? 'ndjson'
  if (named.format !== undefined && format !== named.format) {
    throw new UsageError(`--format ${format} does not go with the name ${out}`)
  }
  if (named.unknown !== undefined && flags.format === undefined) {
    throw new UsageError(
      `--out: ${named.unknown} says no format: names end in ${EXTENSIONS}; or say it with --format`,
    )
  }
  if (named.compress !== undefined && format === 'parquet') {
    throw new UsageError(
      '--out: Parquet is compressed within: name it NAME.parquet, and use --compress',
    )
  }
  const only = (options: string, fits: boolean, given: boolean): void => {
    if (given && !fits) throw new UsageError(`${options}, and the format is ${format}`)
  }
  only('--amounts goes with --format parquet', format === 'parquet', flags.amounts !== undefined)
  only('--safe-cells goes with --format csv', format === 'csv', flags.safeCells)
  supported(compress)
  await checkPlaces({ ...flags, out, kind })
  const { columns, amounts } = flags
  const options: FormatOptions = {
    format,
    ...defined({ compress, columns, amounts }),
    ...(flags.exact ? { numbers: 'exact' as const } : {}),
    ...(flags.safeCells ? { formulas: 'escape' as const } : {}),
  }
  return { out, kind, options }
}

/** Before a file is opened, what this version of Node cannot do is wrong use. */
const supported = (compress: Compression = 'none'): void => {
  try {
    needZstd(compress)
  } catch (error) {
    throw error instanceof Unsupported ? new UsageError(`--compress: ${error.message}`) : error
  }
}

/** What does not go together. */
const check = (kind: OutputPlan['kind'], flags: OutputFlags): void => {
  const kept = {
    '--checkpoint': flags.checkpoint !== undefined,
    '--resume': flags.resume,
    '--restart': flags.restart,
    '--since-last': flags.sinceLast !== undefined,
  }
  for (const [option, given] of Object.entries(kept)) {
    if (given && kind === 'stdout') {
      throw new UsageError(
        `${option} needs --out FILE or DIR/: what went to stdout cannot be cut back`,
      )
    }
  }
  const rotated = { '--rotate-rows': flags.rotateRows, '--rotate-bytes': flags.rotateBytes }
  for (const [option, given] of Object.entries(rotated)) {
    if (given !== undefined && kind !== 'folder') {
      throw new UsageError(`${option} needs --out DIR/: a file for each part`)
    }
  }
  if (flags.lookback !== undefined && flags.sinceLast === undefined) {
    throw new UsageError('--lookback goes with --since-last')
  }
}
