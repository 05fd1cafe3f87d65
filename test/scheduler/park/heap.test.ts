import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { heap, type Ranked } from '../../../src/scheduler/park/Heap.js'

const step = fc.oneof(
  fc.record({ do: fc.constant('add' as const), rank: fc.integer({ min: 0, max: 50 }) }),
  fc.record({ do: fc.constant('remove' as const), at: fc.nat() }),
  fc.record({
    do: fc.constant('move' as const),
    at: fc.nat(),
    rank: fc.integer({ min: 0, max: 50 }),
  }),
)

describe('heap', () => {
  it('has the lowest rank first, whatever was added, moved and removed', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const tested = heap<Ranked>()
        const model: Array<Ranked> = []
        for (const now of steps) {
          if (now.do === 'add') {
            const item = { rank: now.rank, slot: -1 }
            tested.add(item)
            model.push(item)
          } else {
            const item = model[now.at % Math.max(1, model.length)]
            if (item === undefined) continue
            if (now.do === 'move') {
              item.rank = now.rank
              tested.moved(item)
            } else {
              tested.remove(item)
              model.splice(model.indexOf(item), 1)
              expect(item.slot).toBe(-1)
            }
          }
          expect(tested.size()).toBe(model.length)
          if (model.length > 0) {
            expect(tested.first()?.rank).toBe(Math.min(...model.map(({ rank }) => rank)))
          }
        }
      }),
    )
  })
})
