import { CannotRun } from './CannotRun.js'
import type { Paths } from './Paths.js'
import { isFolderThere, type SmallFiles } from './SmallFiles.js'

/** Makes the folder that rows go into; fails with a `CannotRun` where one stands in the place of their file. */
export const makePlace = async (files: SmallFiles, { out, isFolder }: Paths): Promise<void> => {
  if (isFolder) {
    await files.mkdir(out, { recursive: true })
    return
  }
  if (!(await isFolderThere(files, out))) return
  const why = 'is a folder, and no file: to write into it, end its name with a slash'
  throw new CannotRun('nowhere', out, why)
}
