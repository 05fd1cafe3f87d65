/** Manifests that tests write by hand: what is in them, with the checksum that they are read by. */
import { createHash } from 'node:crypto'
import type { ManifestRun } from '../../src/export/index.js'

/** The text of a manifest of these runs. */
export const manifestOf = (runs: ReadonlyArray<ManifestRun>): string => {
  const content = { version: 3, kind: 'export', key: 'id', runs }
  const sum = createHash('sha256').update(JSON.stringify(content)).digest('hex')
  return `${JSON.stringify({ ...content, sum }, null, 2)}\n`
}
