/**
 * Micro benchmarks, run by mitata, which prints their results; `--json` prints its JSON. The median of each contender is also
 * reported per item, so that pages of different sizes can be compared.
 */
import { bench, group, run, summary } from 'mitata'
import { type BenchPeer, report } from './result.ts'

export interface MicroContender extends Pick<BenchPeer, 'name' | 'role'> {
  /** A function, or a generator that prepares each sample; see mitata's `bench`. */
  readonly run: (() => unknown) | (() => Generator)
}

export interface MicroGroup {
  readonly subject: string
  /** Number of items per call of a contender. */
  readonly items: number
  /** Unit of the results. Default: `ns an item`. */
  readonly of?: string
  readonly contenders: ReadonlyArray<MicroContender>
}

/** Measures all groups one after the other. Throws if a contender throws. */
export const runMicro = async (groups: ReadonlyArray<MicroGroup>): Promise<void> => {
  const isJson = process.argv.includes('--json')
  for (const { subject, contenders } of groups) {
    group(subject, () => {
      summary(() => {
        for (const { name, role, run: body } of contenders) {
          bench(name, body).baseline(role === 'ours')
        }
      })
    })
  }
  const { benchmarks } = await run({
    throw: true,
    ...(isJson ? { format: { json: { debug: false, samples: false } } } : {}),
  })
  // mitata keeps the order
  let at = 0
  for (const { subject, items, of = 'an item', contenders } of groups) {
    const measured = contenders.map(({ name, role }) => {
      const stats = benchmarks[at++]?.runs[0]?.stats
      return { name, role, value: (stats?.p50 ?? Number.NaN) / items }
    })
    report({ subject, unit: `ns ${of}`, better: 'lower', contenders: measured })
  }
}
