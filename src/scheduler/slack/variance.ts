/** Of so many values, from their sum and the sum of their squares. */
export const variance = (sum: number, squares: number, count: number): number =>
  Math.max(0, squares / count - (sum / count) ** 2)
