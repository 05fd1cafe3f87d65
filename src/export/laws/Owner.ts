/** An owner of a destination, whose process can be stopped before or after any external operation. */

/** Performs one external operation: a request, a statement, a file system call. */
export type Operation = <T>(work: () => Promise<T>) => Promise<T>

/** Where a process stops: before or after its n-th operation, counted from 1. */
export interface StopAt {
  readonly nth: number
  readonly after: boolean
}

const moment = () => {
  let come = (): void => {}
  const promise = new Promise<void>((resolve) => {
    come = resolve
  })
  return { promise, come }
}

/**
 * A process that can be frozen: an operation in progress still takes effect, but the process does not see the result and starts
 * nothing until it is thawed. A process that is never thawed counts as killed.
 */
export class Owner {
  readonly #stopAt: StopAt | undefined
  readonly #frozen = moment()
  readonly #thawed = moment()
  readonly #acts = new Map<number, () => void>()
  readonly #names: Array<string> = []
  readonly #afterEach: () => Promise<void>
  #isFrozen = false

  constructor(stopAt?: StopAt, afterEach = async () => {}) {
    this.#stopAt = stopAt
    this.#afterEach = afterEach
  }

  /** Names of the operations that the process has begun. */
  get names(): ReadonlyArray<string> {
    return this.#names
  }

  get frozen(): Promise<void> {
    return this.#frozen.promise
  }

  /** Runs a function before its n-th operation. */
  at(nth: number, act: () => void): void {
    this.#acts.set(nth, act)
  }

  thaw(): void {
    this.#isFrozen = false
    this.#thawed.come()
  }

  async named<T>(name: string, work: () => Promise<T>): Promise<T> {
    const nth = this.#names.push(name)
    const isLast = nth === this.#stopAt?.nth
    this.#acts.get(nth)?.()
    if (isLast && !this.#stopAt?.after) this.#freeze()
    if (this.#isFrozen) await this.#thawed.promise
    try {
      const done = await work()
      await this.#afterEach()
      return done
    } finally {
      if (isLast && this.#stopAt?.after) this.#freeze()
      if (this.#isFrozen) await this.#thawed.promise
    }
  }

  readonly operation: Operation = (work) => this.named('an operation', work)

  #freeze(): void {
    this.#isFrozen = true
    this.#frozen.come()
  }
}
