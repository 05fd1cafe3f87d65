/** Manifests that tests write by hand, with the checksum that readers check. */
import { createHash } from 'node:crypto'
import type { ManifestRun } from '../../src/export/index.js'

/** Returns the text of a manifest of this run. */
export const manifestOf = (run: ManifestRun): string => {
  const content = { version: 4, kind: 'export', key: 'id', run }
  const sum = createHash('sha256').update(JSON.stringify(content)).digest('hex')
  return `${JSON.stringify({ ...content, sum }, null, 2)}\n`
}
