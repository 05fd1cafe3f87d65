/** Runs the limiters beside the page: while they run, the time of this realm is a virtual one. */
import type { Parameters } from './parameters.ts'
import { type Trace, traces } from './traces.ts'

/** The runs of all limiters. `asked` is the number of the parameters that were asked for. */
export interface Answer {
  readonly asked: number
  readonly traces: ReadonlyArray<Trace>
}

export interface Question {
  readonly asked: number
  readonly parameters: Parameters
}

let waiting: Question | undefined
let isRunning = false

// the latest parameters only: a slider sends many
const run = async (): Promise<void> => {
  if (isRunning) return
  isRunning = true
  for (let question = waiting; question !== undefined; question = waiting) {
    waiting = undefined
    const all: Array<Trace> = []
    for await (const trace of traces(question.parameters)) {
      if (waiting !== undefined) break
      all.push(trace)
    }
    if (waiting === undefined) {
      self.postMessage({ asked: question.asked, traces: all } satisfies Answer)
    }
  }
  isRunning = false
}

self.onmessage = ({ data }: MessageEvent<Question>) => {
  waiting = data
  void run()
}
