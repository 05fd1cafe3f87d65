import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Long, ladder, type Rung } from '../../../src/scheduler/park/Ladder.js'

class Queue implements Long<Queue> {
  rung: Rung<Queue> | undefined = undefined
  ahead: Queue | undefined = undefined
  behind: Queue | undefined = undefined
  length: number
  /** When it got this length. */
  since: number

  constructor(length: number, since: number) {
    this.length = length
    this.since = since
  }
}

const step = fc.oneof(
  fc.record({ do: fc.constant('add' as const), length: fc.integer({ min: 1, max: 8 }) }),
  fc.record({ do: fc.constantFrom('remove' as const, 'grow', 'shrink'), at: fc.nat() }),
)

describe('ladder', () => {
  it('has the longest first, and of those of one length the first, whatever was added, moved and removed', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const tested = ladder<Queue>()
        const model: Array<Queue> = []
        steps.forEach((now, time) => {
          if (now.do === 'add') {
            const queue = new Queue(now.length, time)
            tested.add(queue)
            model.push(queue)
          } else {
            const queue = model[now.at % Math.max(1, model.length)]
            if (queue === undefined) return
            if (now.do === 'remove') {
              tested.remove(queue)
              model.splice(model.indexOf(queue), 1)
              expect(queue).toMatchObject({ rung: undefined, ahead: undefined, behind: undefined })
            } else {
              queue.length += now.do === 'grow' ? 1 : -1
              queue.since = time
              tested.moved(queue)
            }
          }
          model.sort((a, b) => b.length - a.length || a.since - b.since)
          expect(tested.first()).toBe(model[0])
        })
        for (const queue of model) {
          expect(tested.first()).toBe(queue)
          tested.remove(queue)
        }
        expect(tested.first()).toBeUndefined()
      }),
    )
  })
})
