import type { Files } from '../file/Files.js'

/** Whether two names are of one file, there or not. */
export const isSame = async (files: Files, one: string, other: string): Promise<boolean> => {
  if (one === other) return true
  const [a, b] = [await identity(files, one), await identity(files, other)]
  return a !== undefined && a.dev === b?.dev && a.ino === b.ino
}

/** Nothing, where it cannot be opened. */
const identity = (files: Files, path: string) =>
  files.open(path, 'r').then(
    (handle) => handle.stat().finally(() => handle.close()),
    () => undefined,
  )
