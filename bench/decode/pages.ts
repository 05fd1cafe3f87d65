/**
 * Parsing and decoding a page, compared with parsing alone: `npm run bench -- decode [pages] [PART OF A NAME] [--json]`.
 * Decoding takes too small a part of that time for exact ratios; for these, see `decode shares`.
 */
import { type MicroContender, runMicro } from '../micro.ts'
import { contenders } from './contenders.ts'
import { isCharge, isTransfer } from './peers/hand.ts'
import { charge, transfer } from './shapes.ts'
import * as texts from './texts.ts'

const only = process.argv.slice(2).find((arg) => !arg.startsWith('--')) ?? ''

const subjects = [
  { subject: '2,000 charges', text: texts.charges(1), items: 2_000, shape: charge, hand: isCharge },
  {
    subject: '50 transfers',
    text: texts.transfers(1),
    items: 50,
    shape: transfer,
    hand: isTransfer,
  },
]

const isTaken = (u: unknown): boolean =>
  typeof u === 'object' && u !== null && !('_tag' in u && u._tag === 'Left')

await runMicro(
  subjects.map(({ subject, text, items, shape, hand }) => {
    const decoding = Object.entries(contenders(shape, hand))
      .filter(([name]) => name.includes(only))
      .map(([name, make]): MicroContender => {
        const decode = make()
        if (!decode(JSON.parse(text)).every(isTaken)) throw new Error(`${name} refuses the page`)
        const role = name.startsWith('payments-rx') ? 'ours' : 'peer'
        return { name, role, run: () => decode(JSON.parse(text)) }
      })
    const floor: MicroContender = { name: 'JSON.parse', role: 'floor', run: () => JSON.parse(text) }
    return { subject, items, contenders: [floor, ...decoding] }
  }),
)
