/** What can be exported, as a row: what it is narrowed by, and how it is read. */
import type { Command } from 'commander'
import type { Client } from '../../client/createClient.js'
import type { Codec } from '../../codec/Codec.js'
import type { Source } from '../../export/index.js'
import type { AnyFailure } from '../../http/Failure.js'
import type { Page } from '../../stream/index.js'
import type { Connection, SettingName } from '../connection.js'
import type { Terminal } from '../Terminal.js'

/** What a sandbox has from the start. */
export interface Simulated {
  /** The option of the sandbox that says how many. */
  readonly what: 'charges' | 'batches'
  /** Unless somebody says. */
  readonly count: number
  /** At most. */
  readonly most: number
}

export interface Resource<A, Q, P extends Page<AnyFailure, A, Q>, Flags, Filter> {
  /** As it is called on the command line and in a manifest: `batch-transfers`. */
  readonly name: string
  readonly description: string
  /** Decodes its rows. */
  readonly codec: Codec<A>
  /** Whether its rows come with a `secret`, which `source` leaves out. */
  readonly hasSecret?: boolean
  readonly withOptions: (command: Command) => Command
  /** How many a sandbox of an export's own has, where it has any. */
  readonly simulated?: Simulated
  /** The settings that `connection` cannot do without. */
  readonly needed: ReadonlyArray<SettingName>
  /** Where it is read, and as whom. */
  readonly connection: (flags: Flags, env: Terminal['env']) => Connection
  /** What it is narrowed by, from the flags. Throws a `WrongUse` where these contradict each other. */
  readonly filter: (flags: Flags) => Filter
  /**
   * The same for what was made from then on, for what is listed by times of creation: that can be read in
   * several slices at a time, and since the last run.
   */
  readonly since?: (from: string, filter: Filter) => Filter
  /** `requests`: so many at a time, where that is possible. */
  readonly source: (client: Client, filter: Filter, requests: number) => Source<A, Q, P>
}
