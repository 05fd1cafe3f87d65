/** Where an export keeps what it has. */
import { basename, dirname, join, relative } from 'node:path'

// model

/** What an export keeps, each by its path. */
export interface Paths {
  /** The output: a file, or a folder. */
  readonly out: string
  /** Whether it has a file for each part, and runs are added to those before. */
  readonly isFolder: boolean
  /** The checkpoint: what it is resumed by. */
  readonly checkpoint: string
  /** The keys of the rows that were written, while there is a checkpoint. */
  readonly keys: string
  /** The manifest: what was written, run by run. */
  readonly manifest: string
  /** The lock: who is at it. */
  readonly lock: string
  /** The rows that are not written, of one run. */
  readonly rejects: (run: number) => string
}

/** What the manifest of a folder is called; that of a file ends so. */
const MANIFEST = 'manifest.json'

// constructors

/** A name that ends with a slash is a folder. */
export const isFolder = (out: string): boolean => /[\\/]$/.test(out)

/** `FILE.checkpoint.json`, or `DIR/checkpoint.json`; and so for the others. */
export const pathsOf = (out: string, checkpoint?: string): Paths => {
  const folder = isFolder(out)
  const beside = (name: string): string => (folder ? join(out, name) : `${out}.${name}`)
  const kept = checkpoint ?? beside('checkpoint.json')
  return {
    out,
    isFolder: folder,
    checkpoint: kept,
    keys: `${kept}.keys`,
    manifest: beside(MANIFEST),
    lock: folder ? join(out, 'lock') : `${out}.lock`,
    rejects: (run) => beside(run === 1 ? 'rejects.ndjson' : `rejects-${run}.ndjson`),
  }
}

// combinators

/** Whether a manifest is that of a folder; else it is called after the one file it is of. */
export const isOfFolder = (manifest: string): boolean => basename(manifest) === MANIFEST

/** As it is called from where `from` is, so that both can be moved together; `.` is the folder that `from` is in. */
export const seenFrom = (from: string, path: string): string => relative(dirname(from), path) || '.'
