/** The benchmarks. Each is a folder with an `index.ts` that runs it. */

export interface Suite {
  readonly name: string
  /** The question that it answers, in one line. */
  readonly question: string
  /** The lowest possible cost of the same work. */
  readonly floor: string
  /** Packages that do the same work, measured in the same run. */
  readonly peers: ReadonlyArray<string>
  /** The source of its random numbers. */
  readonly seeds: string
  /** Arguments that make it short, for the tour. Each list is one run. */
  readonly tour: ReadonlyArray<ReadonlyArray<string>>
  /** A server that it requires. */
  readonly needs?: 'redis-server'
}

const NO_SEEDS = 'none: nothing in it is random'

export const suites: ReadonlyArray<Suite> = [
  {
    name: 'decode',
    question: 'What does decoding a page cost, beside parsing it?',
    floor: 'JSON.parse of the same page',
    peers: ['io-ts', 'ajv', '@sinclair/typebox', 'arktype', 'zod', 'valibot', 'effect'],
    seeds: '1',
    tour: [['pages']],
  },
  {
    name: 'scheduler',
    question: 'How much of the quota is used, how much is refused, and what does a task cost?',
    floor: 'possible: a client that never waits in vain; of the cost: defer alone',
    peers: ['p-queue', 'p-throttle', 'bottleneck', 'effect', 'rate-limiter-flexible'],
    seeds: 'simulations: 1, 2, … as many as asked for',
    tour: [['micro'], ['waiting', '20000'], ['simulate', '1']],
  },
  {
    name: 'lists',
    question: 'How fast is a list read under the limits of production, and in how much memory?',
    floor: 'every page at once, if one knew how many',
    peers: ['stripe'],
    seeds: 'sandbox: 1',
    tour: [['speed', '1', '80000', ', ']],
  },
  {
    name: 'export',
    question: 'What does an export cost, from the socket to the file?',
    floor: 'a fetch loop written for this one list',
    peers: ['undici'],
    seeds: 'sandbox: 1',
    tour: [['100000']],
  },
  {
    name: 'formats',
    question: 'What do files of each format and compression cost, and how large are they?',
    floor: 'JSON.stringify in a loop',
    peers: [],
    seeds: NO_SEEDS,
    tour: [['50000', '--rounds', '1']],
  },
  {
    name: 'import',
    question: 'How long does an import take in a new process?',
    floor: 'the packages that payments-rx imports',
    peers: ['stripe', 'openai', 'effect'],
    seeds: NO_SEEDS,
    tour: [['5']],
  },
  {
    name: 'kills',
    question: 'Is every row there once, in each kind of destination, after kills and freezes?',
    floor: 'every row once',
    peers: [],
    seeds: '1',
    tour: [['13', '0', '2000']],
  },
  {
    name: 'sync',
    question: 'Is every row of a table there once, in its newest version, after kills; how fast?',
    floor: 'an export into a file',
    peers: [],
    seeds: '1',
    tour: [
      ['kills', 'sqlite', '10'],
      ['speed', 'sqlite', '50000'],
    ],
  },
  {
    name: 'quota',
    question: 'How much of one quota do several processes use together?',
    floor: 'one process without a shared quota',
    peers: ['bottleneck', 'rate-limiter-flexible', 'effect'],
    seeds: 'of the network: 5',
    tour: [['5', 'tour']],
    needs: 'redis-server',
  },
  {
    name: 'payments',
    question:
      'Is each of many payments, made as jobs of a queue, made once after kills and freezes?',
    floor: 'each payment once',
    peers: [],
    seeds: '1',
    tour: [['200', '1', 'alone']],
    needs: 'redis-server',
  },
]
