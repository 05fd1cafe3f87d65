/**
 * What decoding costs beside parsing: `npm run build && node bench/decode/index.ts`. The ratios are
 * what to look at; an optional argument names the contenders to measure, as in `strict`.
 */
import { contenders } from './contenders.ts'
import { measured } from './measure.ts'
import * as pages from './pages.ts'
import { isCharge, isTransfer } from './peers/hand.ts'
import { charge, transfer } from './shapes.ts'

const [, , only = ''] = process.argv

const subjects = [
  { name: '2,000 charges', text: pages.charges(1), items: 2_000, shape: charge, hand: isCharge },
  { name: '50 transfers', text: pages.transfers(1), items: 50, shape: transfer, hand: isTransfer },
]

for (const { name, text, items, shape, hand } of subjects) {
  console.log(`\n| ${name}, ${text.length} bytes | ns an item | × JSON.parse |\n|---|--:|--:|`)
  for (const [contender, make] of Object.entries(contenders(shape, hand))) {
    if (!contender.includes(only)) continue
    const run = make()
    const results = run(JSON.parse(text))
    if (!results.every((one) => isTaken(one))) throw new Error(`${contender} refuses the page`)
    const { ns, share } = await measured(text, items, run)
    console.log(`| ${contender} | ${ns.toFixed(0)} | ${share.toFixed(3)} |`)
  }
}

function isTaken(u: unknown): boolean {
  return typeof u === 'object' && u !== null && !('_tag' in u && u._tag === 'Left')
}
