import { from, mergeMap, Observable, Subscriber } from 'rxjs'

/**
 * `mergeMap`, but flat. RxJS starts what waits from within the end of the one before: when a thousand streams
 * that wait complete at once, their frames overflow the stack, and the whole is lost without a word. In a
 * loop, none is nested in another. The classes are those that RxJS asks for.
 */
export const mergeFlat =
  <A, B>(project: (a: A) => Observable<B>, concurrent = Number.POSITIVE_INFINITY) =>
  (source: Observable<A>): Observable<B> =>
    concurrent === Number.POSITIVE_INFINITY
      ? source.pipe(mergeMap((a) => project(a))) // none waits
      : new Observable((out) => {
          source.subscribe(new Flat(out, project, concurrent))
        })

/** A list, since an array moves all that is behind what it loses. */
interface Waiting<A> {
  readonly value: A
  next: Waiting<A> | undefined
}

class Flat<A, B> extends Subscriber<A> {
  private readonly out: Subscriber<B>
  private readonly project: (a: A) => Observable<B>
  private readonly concurrent: number
  private first: Waiting<A> | undefined = undefined
  private last: Waiting<A> | undefined = undefined
  private running = 0
  private ended = false
  private filling = false

  constructor(out: Subscriber<B>, project: (a: A) => Observable<B>, concurrent: number) {
    super()
    this.out = out
    this.project = project
    this.concurrent = concurrent
    out.add(this)
  }

  protected override _next(value: A): void {
    const waiting = { value, next: undefined }
    if (this.first === undefined || this.last === undefined) this.first = waiting
    else this.last.next = waiting
    this.last = waiting
    this.fill()
  }

  protected override _error(error: unknown): void {
    this.out.error(error)
  }

  protected override _complete(): void {
    this.ended = true
    this.unsubscribe()
    this.fill()
  }

  /** One of those that run has ended, and what it held is given back. */
  innerEnded(): void {
    this.running--
    this.fill()
  }

  private fill(): void {
    if (this.filling) return
    this.filling = true
    while (this.running < this.concurrent && this.first !== undefined && !this.out.closed) {
      const { value, next } = this.first
      this.first = next
      this.running++
      this.start(value)
    }
    this.filling = false
    if (this.ended && this.running === 0 && this.first === undefined) this.out.complete()
  }

  private start(value: A): void {
    try {
      from(this.project(value)).subscribe(new Inner(this.out, this))
    } catch (error) {
      this.out.error(error)
    }
  }
}

class Inner<A, B> extends Subscriber<B> {
  private readonly out: Subscriber<B>
  private readonly flat: Flat<A, B>

  constructor(out: Subscriber<B>, flat: Flat<A, B>) {
    super()
    this.out = out
    this.flat = flat
    out.add(this)
  }

  protected override _next(value: B): void {
    this.out.next(value)
  }

  protected override _error(error: unknown): void {
    this.out.error(error)
  }

  protected override _complete(): void {
    this.unsubscribe()
    this.flat.innerEnded()
  }
}
