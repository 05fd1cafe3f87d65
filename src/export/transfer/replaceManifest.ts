import type { Store } from '../../store/Store.js'
import { MANIFEST } from './Destination.js'
import { type ManifestKind, type ManifestRun, manifestOf, showManifest } from './Manifest.js'

/**
 * Replaces a manifest; without runs, removes it. `checkOwner` rejects once a later run has taken over: after the version was
 * read, so that one that is replaced is not that run's.
 */
export const replaceManifest = async (
  store: Store,
  kind: ManifestKind,
  runs: ReadonlyArray<ManifestRun>,
  checkOwner: () => Promise<void>,
): Promise<void> => {
  const text = runs.length === 0 ? undefined : showManifest(manifestOf(kind, runs))
  for (;;) {
    const version = (await store.read(MANIFEST))?.version
    await checkOwner()
    if (text !== undefined) {
      if ((await store.replace(MANIFEST, text, version)) !== undefined) return
    } else if (version === undefined || (await store.remove(MANIFEST, version))) return
  }
}
