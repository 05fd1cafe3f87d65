/** Flags of `export`, as options of `exportTo`. */
import type { Environment } from '../../api/limits.js'
import { isDirectory } from '../../export/file/checkPaths.js'
import type { Compression, ExportOptions, FormatName, Reject } from '../../export/index.js'
import {
  FILES,
  type FilesLocation,
  folderAt,
  type Location,
  locationOf,
} from '../../export/location/Location.js'
import type { WriteRows } from '../../export/source/exportList.js'
import { withoutUndefined } from '../../fp.js'
import type { PaceFlags, SimulationFlags } from '../commonOptions.js'
import { SANDBOX_ACCOUNT } from '../connection.js'
import { shownOn } from '../output.js'
import type { ViewFlags } from '../progress/ProgressView.js'
import type { CommandRun } from '../runCommand.js'

export interface ExportFlags extends PaceFlags, SimulationFlags, ViewFlags {
  readonly out?: string
  readonly format?: FormatName
  readonly compress?: Compression
  readonly columns?: ReadonlyArray<string>
  readonly amounts?: 'decimal' | 'text'
  readonly exact: boolean
  readonly formulas?: 'mask' | 'keep'
  readonly rotateRows?: number
  readonly rotateBytes?: number
  readonly checkpoint?: string
  readonly resume: boolean
  readonly restart: boolean
  readonly maxRejects: number
  readonly rejects?: string
  readonly inPlace: boolean
  readonly dryRun: boolean
  /** Deadline, in ms. */
  readonly deadline?: number
  /** Length of the lease, in ms. */
  readonly lease?: number
  readonly environment?: Environment
  readonly parallel?: number
}

export type ExportLocation = FilesLocation | (Location & { readonly kind: 'stdout' })

/** Resolves `--out`. A folder may be given without its slash. */
export const locationFrom = async ({ out = '-' }: ExportFlags): Promise<ExportLocation> => {
  const at = locationOf('out', out, [...FILES, 'stdout'])
  return at.kind === 'file' && (await isDirectory(at.name)) ? folderAt(at) : at
}

export const exportOptions = <A>(
  flags: ExportFlags,
  at: ExportLocation,
  { terminal: { stdout }, options }: Pick<CommandRun, 'terminal' | 'options'>,
  onReject: WriteRows<Reject>,
): ExportOptions<A> => {
  const { format, compress, columns, amounts, checkpoint } = flags
  const { formulas, rotateRows, rotateBytes, resume, restart, maxRejects } = flags
  const toStdout: Partial<ExportOptions<A>> = { endStream: false, onReject }
  return {
    out: at.kind === 'stdout' ? shownOn(stdout) : at.name,
    ...(at.kind === 'stdout' ? toStdout : {}),
    ...withoutUndefined({ format, compress, columns, amounts, checkpoint }),
    ...withoutUndefined({ formulas, rotateRows, rotateBytes }),
    ...(flags.inPlace ? { inPlace: true, onReject } : {}),
    // the port differs each time
    ...(flags.sandbox === true ? { account: SANDBOX_ACCOUNT } : {}),
    resume,
    restart,
    maxRejects,
    ...options,
  }
}
