/** What comes of the money for a batch. */
export type FundingCourse = 'funded' | 'failed' | 'overdue' | 'reversed' | 'cancelled'

/** What a sandbox can be told of batch transfers: nothing of it is specified by the interface document. */
export interface BatchOptions {
  /** How many batches there are from the start, up to a million; only what changes is kept. Default 0. */
  readonly batches?: number
  /** A batch comes by itself this often, in ms, so that lists drift. Default 0: none does. */
  readonly batchArrivals?: number
  /**
   * What comes of the money for a batch, unless its funding source says: one that ends in `_failed`,
   * `_overdue`, `_reversed` or `_cancelled` does. Default `'funded'`.
   */
  readonly funding?: FundingCourse
  /** The money for a batch takes the next step of its course after this time, in ms. Default 1,000. */
  readonly fundAfter?: number
  /** An item of a batch is booked this often, in ms. Default 20. */
  readonly bookEvery?: number
  /** Whether a submitted batch has to be approved, and what is decided. Default `'none'`: it need not. */
  readonly approval?: 'none' | 'approved' | 'recalled' | 'rejected' | 'blocked' | 'undecided'
  /** When that is decided, in ms after the batch was submitted. Default 2,000. */
  readonly approveAfter?: number
  /** How long a quote holds, in ms. Default 0: as long as its validity says. */
  readonly quoteLife?: number
  /** What becomes of items with a `request_id` that their batch has. Default `'ignored'` (interface). */
  readonly repeatedItems?: 'ignored' | 'refused'
}

export const batchDefaults: Required<BatchOptions> = {
  batches: 0,
  batchArrivals: 0,
  funding: 'funded',
  fundAfter: 1_000,
  bookEvery: 20,
  approval: 'none',
  approveAfter: 2_000,
  quoteLife: 0,
  repeatedItems: 'ignored',
}
