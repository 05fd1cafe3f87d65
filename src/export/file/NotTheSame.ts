/** A file that is not what its checkpoint says, so it cannot be gone on with. */
export class NotTheSame extends Error {
  override readonly name = 'NotTheSame'
  readonly _tag = 'NotTheSame'
  /** The file that differs. */
  readonly path: string

  constructor(path: string, why: string) {
    super(`${path} ${why}: it cannot be gone on with`)
    this.path = path
  }
}
