/** The parts that need nothing of Node: a scheduled request, and a delivery of a webhook that is verified. */

import { defer, lastValueFrom } from 'rxjs'
import { createScheduler, rate, schedule } from '../../../src/scheduler/index.ts'
import { createVerifier, sign } from '../../../src/webhooks/index.ts'

const scheduledStatus = async (url: string): Promise<number> => {
  const scheduler = createScheduler({ tiers: [rate({ name: 'all', limit: 10, per: 1_000 })] })
  const request = defer(() => fetch(url)).pipe(schedule(scheduler, undefined))
  return (await lastValueFrom(request)).status
}

const verifiedEvent = async (): Promise<string> => {
  const secret = 'smoke-test-secret'
  const body = '{"id":"evt_1","name":"account.active","data":{"id":"acct_1"}}'
  const headers = await sign({ secret })({ body, timestamp: Date.now() })
  const event = await lastValueFrom(createVerifier({ secret })({ headers, body }))
  return event._tag === 'Right' ? event.right.id : event.left._tag
}

export interface PartsResult {
  readonly scheduled: number
  readonly webhook: string
}

/** `url`: of a sandbox, which answers 401 to a request without credentials. */
export const useParts = async (url: string): Promise<PartsResult> => ({
  scheduled: await scheduledStatus(`${url}/api/v1/charges`),
  webhook: await verifiedEvent(),
})
