import { from, Observable, Subscriber } from 'rxjs'
import { Fifo } from './Fifo.js'

/**
 * Works like `mergeMap`, but in a loop. RxJS starts a waiting stream from within the end of the previous stream. If a thousand
 * waiting streams complete synchronously, their nested calls overflow the stack, and all results are silently lost. RxJS
 * requires the classes.
 */
export const mergeFlat =
  <A, B>(project: (a: A) => Observable<B>, concurrent: number) =>
  (source: Observable<A>): Observable<B> =>
    new Observable((out) => {
      source.subscribe(new Flat(out, project, concurrent))
    })

class Flat<A, B> extends Subscriber<A> {
  readonly #out: Subscriber<B>
  readonly #project: (a: A) => Observable<B>
  readonly #concurrent: number
  readonly #waiting = new Fifo<A>()
  #running = 0
  #ended = false
  #filling = false

  constructor(out: Subscriber<B>, project: (a: A) => Observable<B>, concurrent: number) {
    super()
    this.#out = out
    this.#project = project
    this.#concurrent = concurrent
    out.add(this)
  }

  protected override _next(value: A): void {
    this.#waiting.push(value)
    this.#fill()
  }

  protected override _error(error: unknown): void {
    this.#out.error(error)
  }

  protected override _complete(): void {
    this.#ended = true
    this.unsubscribe()
    this.#fill()
  }

  /** Handles the end of a running stream, after its resources have been released. */
  innerEnded(): void {
    this.#running--
    this.#fill()
  }

  #fill(): void {
    if (this.#filling) return
    this.#filling = true
    while (this.#running < this.#concurrent && !this.#out.closed) {
      const next = this.#waiting.shift()
      if (next === undefined) break
      this.#running++
      this.#start(next.value)
    }
    this.#filling = false
    if (this.#ended && this.#running === 0 && this.#waiting.isEmpty()) this.#out.complete()
  }

  #start(value: A): void {
    try {
      from(this.#project(value)).subscribe(new Inner(this.#out, this))
    } catch (error) {
      this.#out.error(error)
    }
  }
}

class Inner<A, B> extends Subscriber<B> {
  readonly #out: Subscriber<B>
  readonly #flat: Flat<A, B>

  constructor(out: Subscriber<B>, flat: Flat<A, B>) {
    super()
    this.#out = out
    this.#flat = flat
    out.add(this)
  }

  protected override _next(value: B): void {
    this.#out.next(value)
  }

  protected override _error(error: unknown): void {
    this.#out.error(error)
  }

  protected override _complete(): void {
    this.unsubscribe()
    this.#flat.innerEnded()
  }
}
