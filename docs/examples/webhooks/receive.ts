/** Verifies a delivery, saves its event, and then answers. */
import {
  createVerifier,
  type Delivery,
  type VerifierOptions,
  type WebhookEvent,
} from 'payments-rx/webhooks'
import { firstValueFrom } from 'rxjs'

export type Save = (event: WebhookEvent) => unknown
export type Receive = (delivery: Delivery) => Promise<number>

/** Resolves with the status for the response. Rejects if the event could not be saved; then answer 500 to get it again. */
export const receiveWith = (options: VerifierOptions, save: Save): Receive => {
  const verify = createVerifier(options)
  return async (delivery) => {
    const came = await firstValueFrom(verify(delivery))
    if (came._tag === 'Left') return statuses[came.left._tag]
    await save(came.right)
    return 200
  }
}

const statuses = { Unsigned: 401, Forged: 401, Stale: 401, Undecodable: 400, NotRaw: 500 }
