import { codeOf } from '../file/systemError.js'
import { CannotRun } from './CannotRun.js'
import type { Paths } from './Paths.js'
import { isFolderThere, type SmallFiles } from './SmallFiles.js'

/**
 * Makes the folder that rows go into; fails with a `CannotRun` where something else stands in its way,
 * or a folder in that of their file.
 */
export const makePlace = async (files: SmallFiles, { out, isFolder }: Paths): Promise<void> => {
  if (isFolder) {
    await files.mkdir(out, { recursive: true }).catch((error: unknown) => {
      throw NO_PLACE.has(codeOf(error)) ? new CannotRun('nowhere', out, NO_FOLDER) : error
    })
    return
  }
  if (!(await isFolderThere(files, out))) return
  const why = 'is a folder, and no file: to write into it, end its name with a slash'
  throw new CannotRun('nowhere', out, why)
}

/** What the system says where a file, or a link to nothing, has the name of the folder, or of one that it should be in. */
const NO_PLACE: ReadonlySet<string | undefined> = new Set(['EEXIST', 'ENOENT', 'ENOTDIR'])

const NO_FOLDER =
  'cannot be made: a file, or a link to nothing, is in the place of that folder, or of one that it is in'
