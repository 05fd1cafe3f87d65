import { take } from 'rxjs'
import { unlimited } from '../../api/limits.js'
import type { Scheduler } from '../../scheduler/index.js'
import type { ListLimits } from './plan.js'

/** The limits of a scheduler that lists are under; `Infinity` where it has no tier of that name. */
export const listLimitsOf = <R>(scheduler: Scheduler<R>): ListLimits => {
  const pace = { ...unlimited }
  scheduler.state.pipe(take(1)).subscribe(({ tiers }) => {
    for (const { name, limit } of tiers) {
      if (name === 'global' || name === 'endpoint' || name === 'concurrency') pace[name] = limit
    }
  })
  return pace
}
