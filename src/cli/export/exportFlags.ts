/** Flags of `export`, as options of `exportTo`. */
import type { Environment } from '../../api/limits.js'
import { isDirectory } from '../../export/file/checkPaths.js'
import type { Compression, ExportOptions, FormatName, Reject } from '../../export/index.js'
import type { TakeRows } from '../../export/source/exportList.js'
import { isFolder } from '../../export/storage/openFiles.js'
import { withoutUndefined } from '../../fp.js'
import type { PaceFlags, SimulationFlags } from '../commonOptions.js'
import { SANDBOX_ACCOUNT } from '../connection.js'
import { shownOn } from '../output.js'
import type { ViewFlags } from '../progress/ProgressView.js'
import type { CommandRun } from '../runCommand.js'

// model

/** Flags that every export has. */
export interface ExportFlags extends PaceFlags, SimulationFlags, ViewFlags {
  readonly out: string
  readonly format?: FormatName
  readonly compress?: Compression
  readonly columns?: ReadonlyArray<string>
  readonly amounts?: 'decimal' | 'text'
  readonly exact: boolean
  readonly formulas?: 'mask' | 'keep'
  /** The URL of a Redis; `true`: that of the variable. */
  readonly queue?: string | true
  readonly plainRedis: boolean
  readonly slices?: number
  readonly rotateRows?: number
  readonly rotateBytes?: number
  readonly checkpoint?: string
  readonly report?: string
  readonly resume: boolean
  readonly restart: boolean
  readonly sinceLast?: true | string
  /** In ms. */
  readonly lookback?: number
  readonly maxRejects: number
  readonly rejects?: string
  readonly inPlace: boolean
  readonly dryRun: boolean
  /** In ms. */
  readonly deadline?: number
  /** In ms. */
  readonly lease?: number
  readonly environment?: Environment
  /** Concurrent requests. */
  readonly parallel?: number
}

// constructors

/** Resolves `--out`: a folder may be named without its slash. */
export const destinationOf = async (out: string): Promise<string> =>
  !isFolder(out) && (await isDirectory(out)) ? `${out}/` : out

/** Returns the options of `exportTo` for flags. */
export const exportOptions = <A>(
  flags: ExportFlags,
  out: string,
  { terminal: { stdout }, options }: Pick<CommandRun, 'terminal' | 'options'>,
  onReject: TakeRows<Reject>,
): ExportOptions<A> => {
  const { format, compress, columns, amounts, checkpoint, sinceLast, lookback } = flags
  const { formulas, rotateRows, rotateBytes, resume, restart, maxRejects } = flags
  const toStdout: Partial<ExportOptions<A>> = { endStream: false, onReject }
  return {
    out: out === '-' ? shownOn(stdout) : out,
    ...(out === '-' ? toStdout : {}),
    ...withoutUndefined({ format, compress, columns, amounts, checkpoint, sinceLast, lookback }),
    ...withoutUndefined({ formulas, rotateRows, rotateBytes }),
    ...(flags.inPlace ? { inPlace: true, onReject } : {}),
    // another port each time
    ...(flags.sandbox === true ? { account: SANDBOX_ACCOUNT } : {}),
    resume,
    restart,
    maxRejects,
    ...options,
  }
}
