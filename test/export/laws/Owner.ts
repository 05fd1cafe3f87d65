/** One owner of a destination, whose process can be stopped before or after anything that it does to the outside. */

/** Does one thing to the outside: a request, a statement, a call of the file system. */
export type Operation = <T>(work: () => Promise<T>) => Promise<T>

/** Where a process stops: before or after its n-th operation, from 1. */
export interface StopAt {
  readonly nth: number
  readonly after: boolean
}

interface Moment {
  readonly promise: Promise<void>
  readonly come: () => void
}

const moment = (): Moment => {
  let come = (): void => {}
  const promise = new Promise<void>((resolve) => {
    come = resolve
  })
  return { promise, come }
}

/**
 * A process that is frozen: an operation that it had begun has its effect, and it learns of nothing, and begins nothing,
 * before it is thawed. One that is never thawed was killed.
 */
export class Owner {
  readonly #stopAt: StopAt | undefined
  readonly #frozen = moment()
  readonly #thawed = moment()
  readonly #acts = new Map<number, () => void>()
  #isFrozen = false
  #count = 0

  constructor(stopAt?: StopAt) {
    this.#stopAt = stopAt
  }

  /** How many operations it has begun. */
  get count(): number {
    return this.#count
  }

  /** Resolves when it stands still. */
  get frozen(): Promise<void> {
    return this.#frozen.promise
  }

  /** Does something before its n-th operation. */
  at(nth: number, act: () => void): void {
    this.#acts.set(nth, act)
  }

  thaw(): void {
    this.#isFrozen = false
    this.#thawed.come()
  }

  readonly operation: Operation = async (work) => {
    const nth = ++this.#count
    this.#acts.get(nth)?.()
    if (nth === this.#stopAt?.nth && !this.#stopAt.after) this.#freeze()
    if (this.#isFrozen) await this.#thawed.promise
    try {
      return await work()
    } finally {
      if (nth === this.#stopAt?.nth && this.#stopAt.after) this.#freeze()
      if (this.#isFrozen) await this.#thawed.promise
    }
  }

  #freeze(): void {
    this.#isFrozen = true
    this.#frozen.come()
  }
}

/** Makes each function an operation of an owner, also those of the handles that `open` resolves with. */
export const operated = <F extends object>(functions: F, operation: Operation): F =>
  new Proxy(functions, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function' || name === 'isFile') return member
      return async (...given: ReadonlyArray<unknown>) => {
        const answer: unknown = await operation(async () => member.apply(target, given))
        return name === 'open' && typeof answer === 'object' && answer !== null
          ? operated(answer, operation)
          : answer
      }
    },
  })
