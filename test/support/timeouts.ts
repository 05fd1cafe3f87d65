/** Time limits that no test reaches. */
export const PATIENT = {
  connect: 12_000_000,
  headers: 12_000_000,
  body: 12_000_000,
  whole: 12_000_000,
} as const
