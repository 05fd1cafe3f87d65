/** A file that is there, or may be, and that the system lets nobody read: its word, with `code` and `path`. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
  readonly _tag = 'Unreadable'
  /** The system's code, such as `EACCES`. */
  readonly code: string
  /** What could not be read. */
  readonly path: string

  constructor(path: string, error: Error & { readonly code: string }) {
    super(error.message, { cause: error })
    this.code = error.code
    this.path = path
  }
}
