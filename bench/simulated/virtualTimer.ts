import { type SchedulerAction, type SchedulerLike, Subscription } from 'rxjs'

interface Entry {
  readonly at: number
  readonly order: number
  readonly work: () => void
  off: boolean
}

const before = (a: Entry, b: Entry): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

export interface VirtualTimer extends SchedulerLike {
  /** Runs everything that is due up to `until`, including work that this schedules. */
  readonly flush: (until?: number) => void
  readonly pending: () => number
  /** Time at which the next work is due; undefined if there is none. */
  readonly next: () => number | undefined
}

/** Time that passes only when nothing is left to do at the current moment. It starts at `start`, in ms since 1970. */
export const virtualTimer = (start = 0): VirtualTimer => {
  const heap: Array<Entry> = []
  let now = start
  let order = 0

  const push = (entry: Entry): void => {
    let slot = heap.push(entry) - 1
    while (slot > 0) {
      const above = (slot - 1) >> 1
      const parent = heap[above]
      if (parent === undefined || !before(entry, parent)) break
      heap[slot] = parent
      slot = above
    }
    heap[slot] = entry
  }

  const pop = (): Entry | undefined => {
    const first = heap[0]
    const last = heap.pop()
    if (last === undefined || first === last) return first
    let slot = 0
    for (;;) {
      let below = 2 * slot + 1
      let child = heap[below]
      if (child === undefined) break
      const other = heap[below + 1]
      if (other !== undefined && before(other, child)) {
        below++
        child = other
      }
      if (!before(child, last)) break
      heap[slot] = child
      slot = below
    }
    heap[slot] = last
    return first
  }

  const schedule = <T>(
    work: (this: SchedulerAction<T>, state?: T) => void,
    delay = 0,
    state?: T,
  ): Subscription => {
    const entry: Entry = {
      at: now + Math.max(0, delay),
      order: order++,
      // The actions scheduled here never use `this` to schedule themselves again.
      work: () => Reflect.apply(work, undefined, [state]),
      off: false,
    }
    push(entry)
    return new Subscription(() => {
      entry.off = true
    })
  }

  return {
    now: () => now,
    schedule,
    next: () => {
      while (heap[0]?.off) pop()
      return heap[0]?.at
    },
    pending: () => heap.filter((entry) => !entry.off).length,
    flush: (until = Number.POSITIVE_INFINITY) => {
      for (let next = heap[0]; next !== undefined && next.at <= until; next = heap[0]) {
        pop()
        if (next.off) continue
        now = next.at
        next.off = true
        next.work()
      }
      if (until < Number.POSITIVE_INFINITY) now = Math.max(now, until)
    },
  }
}
