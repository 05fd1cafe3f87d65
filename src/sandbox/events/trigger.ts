/** Sends a single test event to a receiver, as the service would. */
import { asyncScheduler, firstValueFrom, type SchedulerLike } from 'rxjs'
import { BatchTransfer } from '../../codec/BatchTransfer.js'
import { documentedEvents, type EventName, eventNames } from '../../codec/Webhook.js'
import { fieldsOf } from '../../decode/unknown.js'
import {
  didYouMean,
  InvalidOption,
  is,
  type OptionRule,
  type OptionsOf,
  required,
  resolveOptions,
  similarName,
  withDefault,
} from '../../options/index.js'
import { later } from '../../stream/later.js'
import { secretRule } from '../../webhooks/VerifierOptions.js'
import { generatedBatch } from '../batches/Batch.js'
import { batchAt } from '../batches/batchView.js'
import { generatedCharges } from '../data/generatedCharges.js'
import { settingsOf } from '../options.js'
import { LATE, STALE } from './deliveryFaults.js'
import { documentedData, eventBody, isOfOrganization, missingIn, nameIn } from './eventBody.js'
import { type Deliver, type SendOutcome, sendDelivery } from './send.js'

/** Faults that a single event can have. */
export const triggerFaults = ['late', 'twice', 'forged', 'stale'] as const

/** Rule for the URL of a receiver. It must have no credentials, because the URL is shown. */
const url = is.stringThat((text) => {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}, 'an HTTP or HTTPS URL without user name')

const eventName: OptionRule<EventName> = is.nonEmptyString

const anyJson: OptionRule<unknown> = { accepts: () => true, expected: 'any JSON' }

const table = {
  /** Name of the event, such as `account.active`. An unknown event requires `data`. */
  event: required(eventName),
  /** The URL to which the event is sent. */
  url: required(url),
  /** The signing secret. */
  secret: required(secretRule),
  /** The API version of the payload, as YYYY-MM-DD. Default 2026-08-21. */
  apiVersion: withDefault(is.isoDay, '2026-08-21'),
  /** Data of the event. Default: the documented fields, with generated values. */
  data: anyJson,
  /**
   * A fault of the delivery. `late`: sent after ten seconds. `twice`: sent twice. `forged`: signed with another secret. `stale`:
   * signed an hour ago.
   */
  fault: is.oneOf(...triggerFaults),
  /** Identifies the event. Default: a new one. */
  id: is.nonEmptyString,
  /** Seed for generated data: an integer up to 2^32 - 1. Default 1. */
  seed: withDefault(is.int(0, 2 ** 32 - 1, '2^32 - 1'), 1),
  /** Sends the request, for example the `fetch` of a receiver in this process. Default: over HTTP. */
  deliver: is.fn<Deliver>(),
  /** Clock and timers. Default: RxJS's `asyncScheduler`. */
  timer: withDefault(is.rxScheduler<SchedulerLike>(), asyncScheduler),
}

/** Options of `trigger`. */
export interface TriggerOptions extends OptionsOf<typeof table> {}

/** One delivery of a triggered event. */
export interface Triggered {
  /** Identifies the event. */
  readonly id: string
  /** The JSON text that was sent. */
  readonly body: string
  /** Status of the response; absent without one. */
  readonly status?: number
  /** Why there was no response. */
  readonly reason?: string
  /** Response time, in ms. */
  readonly took: number
  /** True if the receiver should accept it: neither forged nor stale. */
  readonly isGenuine: boolean
  /** True if the receiver responded correctly: it accepted a genuine delivery with 200, or refused another one. */
  readonly isRight: boolean
}

/**
 * Sends an event, and resolves with the outcome of each delivery: one, or two if it is sent twice. Rejects with an
 * `InvalidOption`, for example for an event that the API version lacks.
 */
export const trigger = async (options: TriggerOptions): Promise<ReadonlyArray<Triggered>> => {
  const resolved = resolveOptions(options, table)
  const { event, apiVersion, url, secret, data, fault, timer, seed } = resolved
  const { deliver, id = newId() } = resolved
  const missing = missingIn(event, apiVersion)
  if (missing !== undefined) {
    throw new InvalidOption('event', `an event of version ${apiVersion}, but ${event} ${missing}`)
  }
  const at = Math.floor(timer.now())
  const body = eventBody({
    id,
    name: event,
    version: apiVersion,
    at,
    account_id: isOfOrganization(event) ? null : 'acct_sandbox',
    org_id: isOfOrganization(event) ? 'org_sandbox' : null,
    data: data === undefined ? dataOf(event, apiVersion, at, seed) : data,
  })
  const isGenuine = fault !== 'forged' && fault !== 'stale'
  const once = async (): Promise<Triggered> => {
    const sentAt = timer.now()
    const signedAt = Math.floor(sentAt) - (fault === 'stale' ? STALE : 0)
    const key = fault === 'forged' ? `${secret} of another` : secret
    const outcome = await sendDelivery({ url, secret: key, body, signedAt }, deliver, timer)
    return triggered(id, body, outcome, timer.now() - sentAt, isGenuine)
  }
  if (fault === 'late') await firstValueFrom(later(LATE, timer))
  const first = await once()
  return fault === 'twice' ? [first, await once()] : [first]
}

const newId = (): string => `evt_${crypto.randomUUID().replaceAll('-', '')}`

const triggered = (
  id: string,
  body: string,
  outcome: SendOutcome,
  took: number,
  isGenuine: boolean,
): Triggered => {
  const common = { id, body, took, isGenuine }
  if (outcome._tag === 'Failed') return { ...common, reason: outcome.reason, isRight: false }
  const { status } = outcome
  return { ...common, status, isRight: isGenuine ? status === 200 : status >= 400 && status < 500 }
}

/** Returns the data of a known event. Throws an `InvalidOption` for an unknown one. */
const dataOf = (event: string, version: string, at: number, seed: number): unknown => {
  const names: ReadonlyArray<string> = eventNames
  const eventName = names.find((name) => name === event || nameIn(name, '') === event)
  if (eventName === undefined) {
    const hint = didYouMean(similarName(event, names))
    throw new InvalidOption('event', `the name of a listed event${hint}, or any name with data`)
  }
  if (documentedEvents.some((name) => name === eventName))
    return documentedData(eventName, version, at, seed)
  const state = (eventName.split('.').at(-1) ?? '').toUpperCase()
  const settings = settingsOf({ seed, charges: 1, since: new Date(at) })
  if (eventName.startsWith('charge.')) {
    const charge = generatedCharges(settings).charge(0)
    return { ...charge, status: state, updated_at: charge.created_at } // not after the event
  }
  if (!eventName.includes('batch_transfers.')) return {}
  const batch = batchAt(
    generatedBatch(0, at, settings),
    { now: at, version, settings },
    'funding status',
  )
  const json = fieldsOf(BatchTransfer.encode(batch))
  return eventName.includes('.funding.')
    ? { ...json, funding: { ...fieldsOf(json.funding), status: state } }
    : { ...json, status: state }
}
