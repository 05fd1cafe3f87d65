/** Delivers the sandbox's events to its webhooks: signed, in order, and retried until the response is 200. */
import { timer as after, concatMap, from, merge, Subject, Subscription, take } from 'rxjs'
import { LONGEST } from '../../stream/later.js'
import type { Collection } from '../Collection.js'
import { hash, hex32, randomNumbers, subSeed } from '../data/hash.js'
import { secretOf } from '../handlers/webhooks.js'
import { mayDeliver, type Settings } from '../options.js'
import { addArrivals, nextArrival, type SandboxStore, type StoredWebhook } from '../Store.js'
import { type DeliveryFault, drawDeliveryFault, HELD, LATE, STALE } from './deliveryFaults.js'
import { eventBody, missingIn, nameIn } from './eventBody.js'
import { type Happening, Happenings } from './happenings.js'
import { sendDelivery } from './send.js'

/** Counts of deliveries since the sandbox was created. */
export interface DeliveryStats {
  /** Requests sent, including retries and forgeries. */
  readonly sent: number
  /** Events accepted with 200. */
  readonly accepted: number
  /** Events dropped after the last retry. */
  readonly givenUp: number
  /** Events that were not sent because their URL is neither on this machine nor in `deliverTo`. */
  readonly blocked: number
  /** Injected faults, by name. */
  readonly faults: Readonly<Record<string, number>>
}

/** A webhook with a subscription, of the account or of a partner. */
interface Subscriber {
  readonly key: string
  readonly webhooks: Collection<StoredWebhook>
  readonly n: number
  readonly secret: string
  /** The connected account that the event is about; `undefined` for a webhook of the sandbox's own account. */
  readonly account: string | undefined
}

/** An event being delivered to a webhook. */
interface Sending {
  readonly to: Subscriber
  readonly body: string
  readonly fault: DeliveryFault | undefined
  readonly isForged: boolean
}

/** The events of one webhook, sent one after the other. */
interface EventQueue {
  readonly sendings: Subject<Sending>
  /** Events that are held back until the next one has been sent. */
  readonly delayed: Set<Sending>
  /** Number of the webhook's events so far. */
  events: number
}

/** Number of retries of an event that was not accepted with 200. They follow after 1, 2, 4 ... s. */
const REPEATS = 8

/** Maximum wait for a response, in ms, before the next event is sent, so that a slow receiver does not hold up other events. */
const TURN = 1_000

const FORGED_SECRET = 'whsec_of_somebody_else'

/** Account id of the sandbox in the events of its own webhooks. */
const OWN_ACCOUNT = 'acct_sandbox'

export class Deliveries {
  readonly #store: SandboxStore
  readonly #settings: Settings
  readonly #happenings: Happenings
  readonly #queues = new Map<string, EventQueue>()
  readonly #random: () => number
  /** Pending and running deliveries. */
  readonly #work = new Subscription()
  #wake = Subscription.EMPTY
  #wakeAt = Number.POSITIVE_INFINITY
  #events = 0
  readonly #counts = { sent: 0, accepted: 0, givenUp: 0, blocked: 0 }
  readonly #faults = new Map<string, number>()

  constructor(store: SandboxStore, settings: Settings) {
    this.#store = store
    this.#settings = settings
    this.#random = randomNumbers(subSeed(settings.seed, 30))
    this.#happenings = new Happenings(store, settings, (happening) => this.#publish(happening))
  }

  /** Delivers all changes up to now, and schedules the next update. */
  update(now: number): void {
    this.#happenings.tellUntil(now)
    if (this.#store.webhooks.next === 0 && this.#store.partnerWebhooks.next === 0) return
    const arrival = nextArrival(this.#store, this.#settings) ?? Number.POSITIVE_INFINITY
    const next = Math.min(this.#happenings.next ?? Number.POSITIVE_INFINITY, arrival)
    if (next === this.#wakeAt || this.#work.closed) return
    this.#wake.unsubscribe()
    this.#wakeAt = next
    if (next === Number.POSITIVE_INFINITY) return
    this.#wake = this.#settings.timer.schedule(
      () => {
        this.#wakeAt = Number.POSITIVE_INFINITY
        const moment = this.#settings.now()
        addArrivals(this.#store, moment, this.#settings)
        this.update(moment)
      },
      Math.min(Math.max(0, next - now), LONGEST),
    )
  }

  /** Cancels everything that is pending. */
  close(): void {
    this.#wake.unsubscribe()
    this.#work.unsubscribe()
  }

  stats(): DeliveryStats {
    return { ...this.#counts, faults: Object.fromEntries(this.#faults) }
  }

  #publish(happening: Happening): void {
    const id = `evt_${hex32(hash(subSeed(this.#settings.seed, 31) ^ this.#events++))}`
    const { webhooks, partnerWebhooks } = this.#store
    for (const webhook of webhooks.walk(0, 1)) {
      this.#tellWebhook(id, happening, webhook, webhooks, 'webhook', OWN_ACCOUNT)
    }
    for (const webhook of partnerWebhooks.walk(0, 1)) {
      const account = [OWN_ACCOUNT, happening.source].find(
        (one) => one !== undefined && webhook.accounts.includes(one),
      )
      if (account === undefined) continue
      this.#tellWebhook(id, happening, webhook, partnerWebhooks, 'partner webhook', account)
    }
  }

  #tellWebhook(
    id: string,
    { name, at, data }: Happening,
    webhook: StoredWebhook,
    webhooks: Collection<StoredWebhook>,
    kind: 'webhook' | 'partner webhook',
    account: string,
  ): void {
    const { events, version } = webhook.params
    const isAsked = events.includes(name) || events.includes(nameIn(name, version))
    if (!isAsked || webhook.createdAt > at || missingIn(name, version) !== undefined) return
    const facts = { id, name, version, at, account_id: account, org_id: null }
    const body = eventBody({ ...facts, data: data(version) })
    const secret = secretOf(kind, this.#settings.seed, webhook.n)
    const connected = kind === 'partner webhook' ? account : undefined
    const key = `${kind} ${webhook.n}`
    this.#enqueue({ key, webhooks, n: webhook.n, secret, account: connected }, body, name)
  }

  #enqueue(to: Subscriber, body: string, event: string): void {
    const queue = this.#queueOf(to.key)
    queue.events++
    const target = { event, nth: queue.events }
    const fault = drawDeliveryFault(this.#settings.deliveryFaults, this.#random, target)
    if (fault !== undefined) this.#faults.set(fault, (this.#faults.get(fault) ?? 0) + 1)
    const sending: Sending = { to, body, fault, isForged: false }
    switch (fault) {
      case 'lost':
        return
      case 'late':
        this.#later(LATE, () => queue.sendings.next(sending))
        return
      case 'out-of-order':
        queue.delayed.add(sending)
        this.#later(HELD, () => {
          if (queue.delayed.delete(sending)) queue.sendings.next(sending)
        })
        return
      case 'forged':
        queue.sendings.next({ ...sending, isForged: true })
        break
      case 'twice':
        queue.sendings.next(sending)
        break
    }
    queue.sendings.next(sending)
    for (const sending of queue.delayed) {
      queue.delayed.delete(sending)
      queue.sendings.next(sending)
    }
  }

  #queueOf(key: string): EventQueue {
    const existing = this.#queues.get(key)
    if (existing !== undefined) return existing
    const queue: EventQueue = { sendings: new Subject(), delayed: new Set(), events: 0 }
    this.#queues.set(key, queue)
    this.#work.add(
      queue.sendings
        .pipe(
          concatMap((sending) => {
            const sent = from(this.#attempt(sending, 0))
            return merge(sent, after(TURN, this.#settings.timer)).pipe(take(1))
          }),
        )
        .subscribe(),
    )
    return queue
  }

  /** Sends an event to the current URL of its webhook. A webhook that was deleted or disconnected receives nothing. */
  async #attempt(sending: Sending, repeats: number): Promise<void> {
    const { to, body, fault, isForged } = sending
    const settings = this.#settings
    const counts = this.#counts
    const webhook = to.webhooks.get(to.n)
    if (webhook === undefined || this.#work.closed) return
    if (to.account !== undefined && !webhook.accounts.includes(to.account)) return
    if (settings.deliver === undefined && !mayDeliver(webhook.url, settings.deliverTo)) {
      counts.blocked++
      return
    }
    counts.sent++
    const isFirst = repeats === 0 && !isForged
    const secret = isForged ? FORGED_SECRET : to.secret
    const signedAt = settings.now() - (isFirst && fault === 'stale' ? STALE : 0)
    const outcome = await sendDelivery(
      { url: webhook.url, secret, body, signedAt },
      settings.deliver,
      settings.timer,
    )
    if (isForged) return
    const isAccepted = outcome._tag === 'Answered' && outcome.status === 200
    if (isAccepted && !(isFirst && fault === 'slow-answer')) {
      counts.accepted++
    } else if (repeats === REPEATS) {
      counts.givenUp++
    } else {
      this.#later(2 ** repeats * 1_000, () => void this.#attempt(sending, repeats + 1))
    }
  }

  #later(ms: number, work: () => void): void {
    const waiting = after(ms, this.#settings.timer).subscribe(() => {
      this.#work.remove(waiting)
      work()
    })
    this.#work.add(waiting)
  }
}
