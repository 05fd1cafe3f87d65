import { MINUTE } from '../../api/limits.js'
import type { QuoteValidity } from '../../codec/BatchTransfer.js'

const lives: Readonly<Record<QuoteValidity, number>> = {
  MIN_1: MINUTE,
  MIN_15: 15 * MINUTE,
  MIN_30: 30 * MINUTE,
  HR_1: 60 * MINUTE,
  HR_4: 240 * MINUTE,
  HR_8: 480 * MINUTE,
  HR_24: 1_440 * MINUTE,
}

/** How long a quote of this validity holds, in ms. */
export const lifeOf = (validity: QuoteValidity): number => lives[validity]
