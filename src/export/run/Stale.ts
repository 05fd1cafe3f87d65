/** Files that are of no use any more: to be taken away before the first row is written. */
export interface Stale {
  /** Of rows, all in one folder. */
  readonly rows: ReadonlyArray<string>
  /** What is kept of them. It goes last: while it stands, nobody takes some of the rows for all. */
  readonly records: ReadonlyArray<string>
}
