import { measure } from 'mitata'
import type { Contender } from './contenders.ts'

const options = { min_cpu_time: 30 * 1e6, min_samples: 30, batch_threshold: 0 }

/** Number of items in each sample, about the same for all page sizes. */
const pagesPerSample = (text: string): number => Math.max(1, Math.round(700_000 / text.length))

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
 * Median time of a contender for a page, in ns. Each sample gets freshly parsed pages, as in a client. Reusing the same objects
 * would flatter contenders that hash texts.
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
  /** Share of the time that parsing the same page takes. */
  readonly share: number
}

/**
 * Runs the contenders in turn, round after round, with the parser in each round. Of the medians of all rounds, the smallest
 * counts, because other work on the machine has disturbed it least.
 */
export const measured = async (
  text: string,
  items: number,
  contenders: Readonly<Record<string, Contender>>,
  rounds = 5,
): Promise<Readonly<Record<string, Measured>>> => {
  const best = new Map<string, number>()
  let parse = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    for (const [name, contender] of Object.entries(contenders)) {
      parse = Math.min(parse, await parsing(text))
      best.set(name, Math.min(best.get(name) ?? parse * 100, await decoding(text, contender)))
    }
  }
  const result = [...best].map(([name, ns]) => [name, { ns: ns / items, share: ns / parse }])
  return { ...Object.fromEntries(result), 'JSON.parse': { ns: parse / items, share: 1 } }
}

export const print = (title: string, all: Readonly<Record<string, Measured>>): void => {
  console.log(`\n| ${title} | ns an item | × JSON.parse |\n|---|--:|--:|`)
  for (const [name, { ns, share }] of Object.entries(all)) {
    console.log(`| ${name} | ${ns.toFixed(0)} | ${share.toFixed(3)} |`)
  }
}
