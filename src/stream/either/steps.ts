/** Steps from one stream to the next. They run in a loop, so the stack does not grow with their number. */
import { from, Observable, type ObservableInput, ReplaySubject, Subscriber } from 'rxjs'
import { Fifo } from './Fifo.js'

/** One step. Its input is the output of the previous step. Only the constructors below know the types. */
type EitherStep =
  /** Maps a value to a value. */
  | { readonly _tag: 'Map'; readonly f: (a: unknown) => unknown }
  /** Maps a value to a stream. Subscribes to one stream after the other. */
  | { readonly _tag: 'Concat'; readonly project: (a: unknown) => ObservableInput<unknown> }
  /** Maps a value together with all values of `second` to a stream. Subscribes to `second` at the start. */
  | {
      readonly _tag: 'With'
      readonly second: Observable<unknown>
      readonly project: (a: unknown, all: Observable<unknown>) => ObservableInput<unknown>
    }

/**
 * A stream that knows the step that created it. RxJS subscribes to `f(g(h(source)))` from the outside in, and passes each value
 * and each end from the inside out, with a few frames for each. Some hundred streams of `traverse` therefore overflow the stack
 * and are silently lost. Here, a subscription first collects all steps down to the source.
 */
class Stepped<B> extends Observable<B> {
  readonly before: Observable<unknown>
  readonly step: EitherStep

  constructor(before: Observable<unknown>, step: EitherStep) {
    super((out) => start(before, step, out))
    this.before = before
    this.step = step
  }
}

// constructors: the types of a step are checked here, and nowhere below

export const mapEach =
  <A, B>(f: (a: A) => B) =>
  (source: Observable<A>): Observable<B> =>
    new Stepped(source, { _tag: 'Map', f: f as (a: unknown) => unknown })

/** Emits the values of one stream per value, one stream after the other. */
export const concatEach =
  <A, B>(project: (a: A) => ObservableInput<B>) =>
  (source: Observable<A>): Observable<B> =>
    new Stepped(source, {
      _tag: 'Concat',
      project: project as (a: unknown) => ObservableInput<unknown>,
    })

/**
 * For each value, emits the values of a stream built from all values of `second`, one stream after the other. Subscribes to
 * `second` immediately after the source, and keeps its values in memory. Emits its errors even if no value needs it.
 */
export const concatEachWith =
  <A, S, B>(second: Observable<S>, project: (a: A, all: Observable<S>) => ObservableInput<B>) =>
  (source: Observable<A>): Observable<B> =>
    new Stepped(source, {
      _tag: 'With',
      second,
      project: project as (a: unknown, all: Observable<unknown>) => ObservableInput<unknown>,
    })

const start = <B>(before: Observable<unknown>, last: EitherStep, out: Subscriber<B>): void => {
  const steps = [last]
  let source = before
  while (source instanceof Stepped) {
    steps.push(source.step)
    source = source.before
  }
  new StepRun(steps.reverse(), out as Subscriber<unknown>).start(source) // the last step produces a `B`
}

// a loop instead of the stack

/**
 * Maximum depth of nested calls; deeper ones wait for the loop. Up to this depth, a value that arrives synchronously is passed
 * on before the next one.
 */
const DEPTH = 30

/** The loop of a subscription and of all streams that its steps subscribe to. */
class Loop {
  /** The subscriber of the outermost stream. Closing it closes all inner subscribers. */
  readonly out: Subscriber<unknown>
  #depth = 0
  readonly #waiting = new Fifo<() => void>()

  constructor(out: Subscriber<unknown>) {
    this.out = out
  }

  /** Runs a task immediately, or after the tasks that are waiting. */
  run(task: () => void): void {
    if (this.#depth >= DEPTH || !this.#waiting.isEmpty()) this.#waiting.push(task)
    else this.#within(task)
    while (this.#depth === 0) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      this.#within(next.value)
    }
  }

  fail(error: unknown): void {
    this.run(() => this.out.error(error))
  }

  #within(task: () => void): void {
    this.#depth++
    try {
      task()
    } finally {
      this.#depth--
    }
  }
}

/** A step that subscribes to one stream after the other. */
interface StepQueue {
  readonly project: (a: unknown) => ObservableInput<unknown>
  readonly values: Fifo<unknown>
  isRunning: boolean
  isSourceOpen: boolean
  isSecondOpen: boolean
}

/** One subscription to all steps. */
class StepRun {
  readonly loop: Loop
  readonly #steps: ReadonlyArray<EitherStep>
  readonly #queues: ReadonlyArray<StepQueue | undefined>
  readonly #seconds: Array<() => void> = []
  readonly #out: Subscriber<unknown>

  constructor(steps: ReadonlyArray<EitherStep>, out: Subscriber<unknown>) {
    this.loop = out instanceof Linked ? out.loop : new Loop(out)
    this.#steps = steps
    this.#out = out
    this.#queues = steps.map((step, i) => this.#queueOf(step, i))
  }

  start(source: Observable<unknown>): void {
    source.subscribe(new SourceOf(this, 0))
    for (const subscribe of this.#seconds) this.loop.run(subscribe)
  }

  #queueOf(step: EitherStep, i: number): StepQueue | undefined {
    if (step._tag === 'Map') return undefined
    const open = { values: new Fifo<unknown>(), isRunning: false, isSourceOpen: true }
    if (step._tag === 'Concat') return { ...open, project: step.project, isSecondOpen: false }
    const all = new ReplaySubject<unknown>()
    this.#seconds.push(() => {
      if (!this.loop.out.closed) step.second.subscribe(new SecondOf(this, i, all))
    })
    return { ...open, project: (a) => step.project(a, all), isSecondOpen: true }
  }

  /** Passes a value to a step or, after the last step, to the subscriber. */
  pass(value: unknown, to: number): void {
    if (this.loop.out.closed) return
    let now = value
    let i = to
    try {
      for (let step = this.#steps[i]; step?._tag === 'Map'; step = this.#steps[i]) {
        now = step.f(now)
        i++
      }
    } catch (error) {
      this.loop.fail(error)
      return
    }
    const queue = this.#queues[i]
    if (queue === undefined) {
      this.#out.next(now)
    } else {
      queue.values.push(now)
      this.#fill(i)
    }
  }

  /** Handles the end of the source of a step. */
  sourceEnded(of: number): void {
    for (let i = of; i < this.#steps.length; i++) {
      const queue = this.#queues[i]
      if (queue === undefined) continue
      queue.isSourceOpen = false
      if (!isDone(queue)) return
    }
    this.#out.complete()
  }

  secondEnded(i: number): void {
    const queue = this.#queues[i]
    if (queue === undefined) return
    queue.isSecondOpen = false
    this.#endIfDone(queue, i)
  }

  /** Handles the end of the stream to which a step was subscribed. */
  innerEnded(i: number): void {
    const queue = this.#queues[i]
    if (queue === undefined) return
    queue.isRunning = false
    this.#fill(i)
    this.#endIfDone(queue, i)
  }

  #endIfDone(queue: StepQueue, i: number): void {
    if (!queue.isSourceOpen && isDone(queue)) this.sourceEnded(i + 1)
  }

  /** Subscribes to the next stream of a step unless one is running. */
  #fill(i: number): void {
    const queue = this.#queues[i]
    if (queue === undefined || queue.isRunning || this.loop.out.closed) return
    const entry = queue.values.shift()
    if (entry === undefined) return
    queue.isRunning = true
    try {
      from(queue.project(entry.value)).subscribe(new InnerOf(this, i))
    } catch (error) {
      this.loop.fail(error)
    }
  }
}

const isDone = ({ values, isRunning, isSecondOpen }: StepQueue): boolean =>
  values.isEmpty() && !isRunning && !isSecondOpen

/** A subscriber inside a loop. Its own steps run in the same loop. */
class Linked extends Subscriber<unknown> {
  readonly loop: Loop
  protected readonly run: StepRun
  protected readonly step: number

  constructor(run: StepRun, step: number) {
    super()
    this.loop = run.loop
    this.run = run
    this.step = step
    this.loop.out.add(this) // added to the outermost subscriber and not to the previous one, so that unsubscribing from all of them needs no recursion
  }

  protected override _error(error: unknown): void {
    this.loop.fail(error)
  }
}

/** Subscribes to the source of all steps. */
class SourceOf extends Linked {
  protected override _next(value: unknown): void {
    this.loop.run(() => this.run.pass(value, 0))
  }

  protected override _complete(): void {
    this.unsubscribe()
    this.loop.run(() => this.run.sourceEnded(0))
  }
}

/** Subscribes to a stream that a step has created for a value. */
class InnerOf extends Linked {
  protected override _next(value: unknown): void {
    this.loop.run(() => this.run.pass(value, this.step + 1))
  }

  protected override _complete(): void {
    this.unsubscribe() // its resources are released before the next stream is subscribed to
    this.loop.run(() => this.run.innerEnded(this.step))
  }
}

/** Subscribes to the second stream of a step, and stores its values. */
class SecondOf extends Linked {
  readonly #all: ReplaySubject<unknown>

  constructor(run: StepRun, step: number, all: ReplaySubject<unknown>) {
    super(run, step)
    this.#all = all
  }

  protected override _next(value: unknown): void {
    this.#all.next(value)
  }

  protected override _complete(): void {
    this.unsubscribe()
    this.#all.complete()
    this.loop.run(() => this.run.secondEnded(this.step))
  }
}
