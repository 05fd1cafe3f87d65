import { measure } from 'mitata'
import type { Contender } from './contenders.ts'

const options = { min_cpu_time: 300 * 1e6, min_samples: 40, batch_threshold: 0 }

/** About as many items in each sample, whatever the size of a page. */
const pagesPerSample = (text: string): number => Math.max(1, Math.round(700_000 / text.length))

const median = (ns: ReadonlyArray<number>): number =>
  [...ns].sort((a, b) => a - b)[ns.length >> 1] ?? Number.NaN

/** Median time of parsing a page, in ns. */
const parsing = async (text: string): Promise<number> => {
  const pages = pagesPerSample(text)
  const run = (): unknown => {
    let last: unknown
    for (let i = 0; i < pages; i++) last = JSON.parse(text)
    return last
  }
  return (await measure(run, options)).p50 / pages
}

/**
 * Median time of a contender for a page, in ns. Each sample gets pages fresh from the parser, as a
 * client does: to look at the same objects again flatters whatever hashes their texts.
 */
const decoding = async (text: string, contender: Contender): Promise<number> => {
  const pages = Array.from({ length: pagesPerSample(text) })
  const run = function* (): Generator {
    yield {
      0: () => pages.map(() => JSON.parse(text)),
      bench: (fresh: ReadonlyArray<ReadonlyArray<unknown>>) => {
        let last: unknown
        for (const items of fresh) last = contender(items)
        return last
      },
    }
  }
  return (await measure(run, options)).p50 / pages.length
}

export interface Measured {
  /** Time for one item, in ns. */
  readonly ns: number
  /** As a share of the time in which the same page is parsed. */
  readonly share: number
}

/** The median of some rounds, each next to a round of parsing. */
export const measured = async (
  text: string,
  items: number,
  contender: Contender,
  rounds = 3,
): Promise<Measured> => {
  const times: Array<number> = []
  const shares: Array<number> = []
  for (let i = 0; i < rounds; i++) {
    const parse = await parsing(text)
    const decode = await decoding(text, contender)
    times.push(decode / items)
    shares.push(decode / parse)
  }
  return { ns: median(times), share: median(shares) }
}
