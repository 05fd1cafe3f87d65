import { pathsOf } from './Paths.js'
import { isFolderThere, isThere, type SmallFiles } from './SmallFiles.js'

/**
 * The manifest of a file, of a folder, or itself: an export may be called `manifest.json`, too, and a folder
 * may stand where it is called without a slash.
 */
export const manifestPath = async (
  files: Pick<SmallFiles, 'readdir' | 'stat'>,
  path: string,
): Promise<string> => {
  const own = pathsOf(path).manifest
  const inside = pathsOf(`${path}/`).manifest
  if (await isThere(files, inside)) return inside
  if (await isThere(files, own)) return own
  if (await isFolderThere(files, path)) return inside
  return path.endsWith('manifest.json') ? path : own
}
