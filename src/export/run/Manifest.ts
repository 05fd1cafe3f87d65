import * as t from 'io-ts'
import { ManifestRun } from './ManifestRun.js'
import { readKept } from './readKept.js'

// model

/** Of the shape of the file. */
const VERSION = 1

const manifest = t.type({
  /** The version of this layout. */
  version: t.literal(VERSION),
  /** What tells rows apart: of several with the same, the one of the last run is how it stands now. */
  key: t.literal('id'),
  /** The runs, in the order in which they were made. */
  runs: t.readonlyArray(ManifestRun),
})

/** What an export has in its files, and what is missing: kept beside them, checked by `verify`. */
export interface Manifest extends t.TypeOf<typeof manifest> {}

// constructors

/** Of these runs, in the order in which they were made. */
export const manifestOf = (runs: ReadonlyArray<ManifestRun>): Manifest => ({
  version: VERSION,
  key: 'id',
  runs,
})

/** Reads what was kept at `path`; throws a `CannotRun` for what is no manifest of this version. */
export const readManifest: (path: string) => (text: string) => Manifest = readKept({
  name: 'manifest',
  version: VERSION,
  codec: manifest,
})

/** For people, too. */
export const showManifest = (manifest: Manifest): string => `${JSON.stringify(manifest, null, 2)}\n`

// combinators

/** The last run that is complete. */
export const lastComplete = ({ runs }: Manifest): ManifestRun | undefined =>
  runs.findLast(({ complete }) => complete)
