/** Which limits are kept, and whether somebody else uses them: pure. */
import type { Environment } from '../../api/limits.js'
import type { ClientEvent } from '../../http/ClientEvent.js'
import type { SchedulerState } from '../../scheduler/index.js'
import { number, percent, plural } from '../text.js'
import { type Finding, ok, warning } from './Finding.js'

/** Tiers, in the order that they are told in. */
const WORDS: Readonly<Record<string, (limit: number) => string>> = {
  endpoint: (n) => `${plural(n, 'request')} a second an endpoint`,
  global: (n) => `${number(n)} a second in all`,
  concurrency: (n) => `${number(n)} at a time`,
  logins: (n) => `${plural(n, 'login')} a minute`,
}

export const checkLimits = (
  { environment, share }: { readonly environment: Environment; readonly share: number },
  { tiers }: SchedulerState,
  events: ReadonlyArray<ClientEvent>,
): Finding => {
  const kept = Object.entries(WORDS).flatMap(([name, words]) => {
    const tier = tiers.find((tier) => tier.name === name)
    return tier === undefined ? [] : [words(tier.limit)]
  })
  const found = `${kept.join(', ')} (${environment}${share < 1 ? `, ${percent(share)} of them` : ''})`
  const facts = {
    environment,
    share,
    ...Object.fromEntries(tiers.map(({ name, limit }) => [name, limit])),
  }
  return events.some((event) => event._tag === 'Answered' && event.status === 429)
    ? warning('limits', `${found}; a request was refused for them`, {
        facts,
        advice: 'somebody else uses this account: take a part of the limits with --share',
      })
    : ok('limits', found, { facts })
}
