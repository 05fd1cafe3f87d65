/**
 * - `foreign`: the checkpoint is of another export; `field` says in what.
 * - `damaged`: it is not what a checkpoint looks like; `field` says where.
 * - `later`: it is of a later version of this package.
 * - `begun`: there is a checkpoint, and nobody said whether to resume it.
 * - `locked`: another run is writing there.
 * - `kept`: an earlier export is kept there, which would be lost.
 * - `rejects`: more rows are rejected already than `maxRejects` lets be.
 * - `missing`: there is no manifest to verify files by.
 * - `nowhere`: there is no such folder to write to, or something else stands in its place, or a folder in that of the file.
 */
export type Obstacle =
  | 'foreign'
  | 'damaged'
  | 'later'
  | 'begun'
  | 'locked'
  | 'kept'
  | 'rejects'
  | 'missing'
  | 'nowhere'

/** Why an export is not begun, or not verified: nothing was asked for, and nothing was changed. */
export class CannotRun extends Error {
  override readonly name = 'CannotRun'
  readonly _tag = 'CannotRun'
  /** What stands in the way. */
  readonly obstacle: Obstacle
  /** The file or folder that stands in the way, or the folder that is not there. */
  readonly path: string
  /** Which part of it: `query.status`, `counts.rows`. */
  readonly field: string | undefined

  constructor(obstacle: Obstacle, path: string, why: string, field?: string) {
    super(`${path} ${why}`)
    this.obstacle = obstacle
    this.path = path
    this.field = field
  }
}
