/** Nights of one account in virtual time: charges come and change between them. */
import { lastValueFrom, type Observable, toArray } from 'rxjs'
import type { SyncEvent, SyncProgress } from '../../../src/export/index.js'
import { E } from '../../../src/fp.js'
import { createSandbox, type SandboxOptions, type VirtualTime } from '../../../src/sandbox/index.js'
import { idleTime } from '../../support/idleClock.js'
import { sandboxClient } from '../../support/sandboxClient.js'

export const DAY = 86_400_000

/**
 * A sandbox with 500 charges of 2024 that are final, and what its client asks for. An account that is to freeze has `virtualTime`,
 * which stands still outside of `run` and `pass`.
 */
export const account = (
  options: SandboxOptions = {},
  answered: (response: Response) => Promise<Response> = async (response) => response,
  { timer, run, pass }: VirtualTime = idleTime(),
) => {
  const sandbox = createSandbox({
    charges: 500,
    timer,
    limits: false,
    settleAfter: DAY,
    ...options,
  })
  const asked: Array<URL> = []
  const payments = sandboxClient(
    async (input, init) => {
      asked.push(new URL(String(input)))
      return answered(await sandbox.fetch(input, init))
    },
    { timer },
  )
  const all = (events: Observable<SyncEvent>): Promise<ReadonlyArray<SyncEvent>> =>
    run(lastValueFrom(events.pipe(toArray())))
  /** Runs again while a step of a run before is still on its way to the destination: then that run lives. */
  const untilFree = async (events: Observable<SyncEvent>): Promise<ReadonlyArray<SyncEvent>> => {
    const some = await all(events)
    const end = some.at(-1)
    const isLocked = end !== undefined && E.isLeft(end) && end.left._tag === 'Locked'
    return isLocked ? untilFree(events) : some
  }
  const last = async (events: Observable<SyncEvent>): Promise<SyncProgress> => {
    const event = (await all(events)).at(-1)
    if (event === undefined || E.isLeft(event)) throw event?.left
    return event.right
  }
  /** Why a sync ended before its end. */
  const failure = async (events: Observable<SyncEvent>) => {
    const event = (await all(events)).at(-1)
    if (event === undefined || E.isRight(event)) throw new Error('it did not fail')
    return event.left
  }
  /** Creates a charge; its status follows from how `source` ends. */
  const charge = async (source: string, amount = '12.50', reference = 'Order'): Promise<string> => {
    const made = await run(
      lastValueFrom(
        payments.charges.create({
          amount,
          currency: 'EUR',
          reason: 'goods_purchased',
          reference,
          source,
        }),
      ),
    )
    if (E.isLeft(made)) throw made.left
    return made.right.id
  }
  /** Creates a webhook. */
  const webhook = async (url: string): Promise<string> => {
    const created = await run(
      lastValueFrom(
        payments.webhooks.create({ url, events: ['charge.new'], version: '2026-08-21' }),
      ),
    )
    if (E.isLeft(created)) throw created.left
    return created.right.id
  }
  return { payments, timer, run, pass, all, untilFree, last, failure, charge, webhook, asked }
}
