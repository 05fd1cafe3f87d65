/**
 * The cost of decoding alone, as a share of parsing. The contenders run in turn: `npm run bench -- decode shares [NAME]`. The
 * optional argument selects the contenders to measure, as in `strict`.
 */
import { contenders } from './contenders.ts'
import { measured, print } from './measure.ts'
import { isCharge, isTransfer } from './peers/hand.ts'
import { charge, transfer } from './shapes.ts'
import * as pages from './texts.ts'

const [only = ''] = process.argv.slice(2)

const subjects = [
  { name: '2,000 charges', text: pages.charges(1), items: 2_000, shape: charge, hand: isCharge },
  { name: '50 transfers', text: pages.transfers(1), items: 50, shape: transfer, hand: isTransfer },
]

const isTaken = (u: unknown): boolean =>
  typeof u === 'object' && u !== null && !('_tag' in u && u._tag === 'Left')

for (const { name, text, items, shape, hand } of subjects) {
  const chosen = Object.entries(contenders(shape, hand))
    .filter(([contender]) => contender.includes(only))
    .map(([contender, make]) => [contender, make()] as const)
  for (const [contender, run] of chosen) {
    if (!run(JSON.parse(text)).every(isTaken)) throw new Error(`${contender} refuses the page`)
  }
  print(`${name}, ${text.length} bytes`, await measured(text, items, Object.fromEntries(chosen)))
}
