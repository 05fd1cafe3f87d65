import type { DestinationMark } from '../file/Destination.js'
import type { Mark } from '../file/RowFile.js'

/** Up to where all files of a run are durable. */
export interface Marks {
  readonly output: DestinationMark
  readonly rejects?: Mark
  readonly keys?: Mark
}
