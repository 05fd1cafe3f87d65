import type { AnyFailure } from '../../http/Failure.js'
import type { SandboxOptions } from '../../sandbox/index.js'
import type { Page } from '../../stream/index.js'
import { environmentFrom, SETTINGS, type SettingName, withSandbox } from '../connection.js'
import { EXIT_COMPLETE, UsageError } from '../output.js'
import type { Terminal } from '../Terminal.js'
import type { ExportFlags } from './ExportFlags.js'
import { perform } from './perform.js'
import { prepare } from './prepare.js'
import type { Resource, Simulated } from './Resource.js'
import type { Connected } from './wantedOf.js'

/** For whoever has seen the sandbox. */
const next = (name: string, needed: ReadonlyArray<SettingName>): string => {
  const variables = needed.map((setting) => SETTINGS[setting].variable)
  const all = `${variables.slice(0, -1).join(', ')} and ${variables.at(-1)}`
  return `next: your ${all} in place of --sandbox; all options: npx payments-rx export ${name} --help\n`
}

/** What the sandbox has of it. */
const optionsOf = (simulated: Simulated | undefined, rows: number | undefined): SandboxOptions =>
  simulated === undefined ? {} : { [simulated.what]: rows ?? simulated.count }

/** Answers with the exit status. Throws `WrongUse`, and what can only be a bug. */
export const exportResource =
  <A, Q, P extends Page<AnyFailure, A, Q>, Flags, Filter extends object>(
    resource: Resource<A, Q, P, Flags, Filter>,
  ) =>
  async (terminal: Terminal, flags: ExportFlags & Flags): Promise<number> => {
    const exported = async (connected: Connected): Promise<number> =>
      perform(terminal, flags, await prepare(resource)(terminal, flags, connected))

    if (flags.sandbox !== true) {
      if (flags.rows !== undefined) throw new UsageError('--rows goes with --sandbox')
      const connection = resource.connection(flags, terminal.env)
      return exported({ ...connection, knownAs: connection.baseUrl })
    }
    const options = {
      environment: environmentFrom(flags, terminal.env),
      ...(flags.limits ? {} : { limits: false as const }),
      ...optionsOf(resource.simulated, flags.rows),
    }
    const status = await withSandbox(options, (connection) =>
      exported({ ...connection, knownAs: 'the sandbox of this package' }),
    )
    if (status === EXIT_COMPLETE && !flags.quiet && flags.progress !== 'json')
      terminal.stderr.write(next(resource.name, resource.needed))
    return status
  }
