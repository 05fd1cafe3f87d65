/**
 * How many runs a slow property has: `few`, or by `RUNS=20 npm test -- test/export` twenty times as many. A property that
 * fails says its seed.
 */
export const runs = (few: number): number => Math.ceil(few * Number(process.env.RUNS ?? 1))
