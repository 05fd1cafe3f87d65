/** Explains why a file given by the user cannot be read. Suggests a similar name. */
import { accessSync, readdirSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { didYouMean, similarName } from '../options/index.js'
import { codeOf } from '../store/FileSystem.js'

/** Returns the end of a message for a system error. */
export const whyUnread = (path: string, error: unknown): string => {
  const code = codeOf(error) ?? 'an error'
  if (code === 'EISDIR') return `cannot read ${path}: it is a folder`
  if (code !== 'ENOENT') return `cannot read ${path} (${code})`
  const folder = dirname(resolve(path))
  const names = namesIn(folder)
  return names === undefined
    ? `cannot read ${path}: the folder ${folder} does not exist`
    : `cannot read ${path}: file not found in ${folder}${didYouMean(similarName(basename(path), names))}`
}

/** Returns the end of a message for a path that does not exist or is inaccessible; `undefined` if the path exists. */
export const whyMissing = (path: string): string | undefined => {
  try {
    accessSync(path)
    return undefined
  } catch (error) {
    return whyUnread(path, error)
  }
}

const namesIn = (folder: string): ReadonlyArray<string> | undefined => {
  try {
    return readdirSync(folder)
  } catch {
    return undefined
  }
}
