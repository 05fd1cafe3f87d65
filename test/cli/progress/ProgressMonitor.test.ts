import { Subject, VirtualTimeScheduler } from 'rxjs'
import { expect, it } from 'vitest'
import { NO_COUNTERS } from '../../../src/cli/progress/ExportCounters.js'
import { monitorProgress } from '../../../src/cli/progress/ProgressMonitor.js'
import type { ClientEvent } from '../../../src/index.js'

it.each([
  [true, ['Destination']],
  [false, []],
])(
  'takes a pause after an answer for a wait for the destination, if rows are written: %j',
  (writesRows, expected) => {
    const timer = new VirtualTimeScheduler()
    const events = new Subject<ClientEvent>()
    const client = { events, scheduler: { state: new Subject() } } as never
    const { current, close } = monitorProgress({
      ...{ client, timer, writesRows },
      counters: () => NO_COUNTERS,
    })
    const endpoint = 'GET /api/v1/batch_transfers/{id}'
    events.next({ _tag: 'Answered', call: 1, endpoint, attempt: 1, status: 200, took: 10 })
    timer.schedule(() => {}, 10_000)
    timer.flush()
    expect(current().stallReasons.map(({ _tag }) => _tag)).toEqual(expected)
    close()
  },
)
