/** All that a runtime with a client does: a list by its `fetch`, and the parts. */

import { lastValueFrom, take } from 'rxjs'
import { type Credentials, collect, createClient } from '../../../src/index.ts'
import { type PartsResult, useParts } from './parts.ts'

export interface ClientResult extends PartsResult {
  readonly charges: number
}

export const useClient = async (url: string, credentials: Credentials): Promise<ClientResult> => {
  const payments = createClient({ baseUrl: url, credentials })
  const charges = payments.charges.list({ page_size: 10 }).pipe(take(12), collect({ max: 20 }))
  const result = await lastValueFrom(charges)
  return { charges: result._tag === 'Right' ? result.right.length : 0, ...(await useParts(url)) }
}
