import { describe, expect, it } from 'vitest'
import { initialPosition } from '../../../src/stream/snapshot/SnapshotPosition.js'
import {
  type PageWalk,
  type SliceOutcome,
  TimeField,
} from '../../../src/stream/snapshot/TimeField.js'

const YEAR = { from: 0, to: 365 * 86_400_000 }

/** As many as may be asked for at a time, or as there are. */
const asked = (field: TimeField, width: number): ReadonlyArray<PageWalk> => {
  const walks: Array<PageWalk> = []
  while (walks.length < width) {
    const walk = field.next()
    if (walk === undefined) return walks
    walk.busy = true
    walks.push(walk)
  }
  return walks
}

describe('TimeField', () => {
  it.each([1, 4, 1_000, Number.POSITIVE_INFINITY])(
    'gives up when no answer shows anything, and %s may be asked for at a time',
    (width) => {
      const field = new TimeField(initialPosition(YEAR), () => width)
      const answer = (walk: PageWalk): SliceOutcome => {
        walk.busy = false
        const rows = {
          asked: walk.ahead,
          question: field.question(walk),
          times: [],
          key: () => undefined,
          more: true,
        }
        const outcome = field.receivePage(walk, rows)
        if (walk.crowded !== undefined) field.receiveSecond(walk, walk.crowded, rows)
        return outcome
      }
      let answers = 0
      let last: SliceOutcome | undefined
      while (last?._tag !== 'Unordered' && answers < 20_000) {
        const outcomes = asked(field, width).map(answer)
        answers += outcomes.length
        last = outcomes.find(({ _tag }) => _tag === 'Unordered')
      }
      expect(last?._tag).toBe('Unordered')
    },
  )
})
