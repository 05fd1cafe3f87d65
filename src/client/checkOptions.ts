/** Holds the options of a client against what can work, before there is one. */
import { limits } from '../api/limits.js'
import { fieldsOf } from '../decode/unknown.js'
import { limitsRule } from '../http/limitsRule.js'
import type { ListOptions } from '../http/list/readList.js'
import type { Credentials } from '../http/login/login.js'
import { PRIORITIES } from '../http/Priority.js'
import { HEADER_VALUE, isHeaderValue } from '../http/request/headerText.js'
import type { Timeout } from '../http/transport/Transport.js'
import {
  checkArgument,
  checkOptions,
  InvalidOption,
  is,
  type OptionsTable,
  required,
} from '../options/index.js'
import { guardRule } from '../scheduler/Guard.js'
import { BASE_URL, type CallOptions, type ClientOptions } from './ClientOptions.js'

const header = is.stringThat(isHeaderValue, HEADER_VALUE)
const wait = { ...is.above(0), expected: 'milliseconds above 0' }

const ofCalls: OptionsTable<CallOptions> = {
  apiVersion: is.isoDay,
  onBehalfOf: is.stringThat(isHeaderValue, 'an account id'),
  timeout: is.group<Partial<Timeout>>({
    connect: wait,
    headers: wait,
    body: wait,
    whole: wait,
  }),
  priority: is.oneOf(...PRIORITIES),
  check: is.boolean,
}

/** What `scheduler` should be, in words. */
const SCHEDULER = `a scheduler of a client, or of createScheduler with the lanes ${PRIORITIES.join(' and ')}`

/** All that a call may wait in. */
const hasLanes = (u: unknown): boolean => {
  const lanes = fieldsOf(fieldsOf(u).core).lanes
  return Array.isArray(lanes) && PRIORITIES.every((lane) => lanes.includes(lane))
}

const codes = is.arrayOf(is.string, 'a list of texts')

const ofClients: OptionsTable<ClientOptions> = {
  // what else it says is looked at when it is read
  baseUrl: required({ ...is.nonEmptyString, expected: BASE_URL }),
  credentials: is.group<Partial<Credentials & { readonly token: unknown }>>({
    clientId: header,
    apiKey: header,
    loginAs: header,
    token: { ...is.fn(), expected: 'a function that gives a token' },
  }),
  partner: is.group<NonNullable<ClientOptions['partner']>>({
    clientId: required(
      is.stringThat(
        (text) => isHeaderValue(text) && !text.includes(':'),
        `${HEADER_VALUE} or a colon in it`,
      ),
    ),
    clientSecret: required(header),
  }),
  environment: is.oneOf(...Object.keys(limits)),
  limits: limitsRule,
  share: is.fraction,
  guard: guardRule,
  scheduler: { accepts: hasLanes, expected: SCHEDULER },
  retry: is.group<NonNullable<ClientOptions['retry']>>({
    throttled: is.int(0),
    faults: is.int(0),
    budget: is.atLeast(0),
  }),
  codes: is.group<NonNullable<ClientOptions['codes']>>({
    duplicate: codes,
    inProgress: codes,
    fault: codes,
  }),
  numbers: is.oneOf('exact', 'fast'),
  drift: is.boolean,
  lists: is.group<Partial<ListOptions>>({
    maxPages: is.positiveIntOrInfinity,
    maxEmptyPages: is.int(0),
    strictEnd: is.boolean,
  }),
  renewEarly: is.finiteMillis,
  maxBytes: is.positiveIntOrInfinity,
  fetch: is.fn(),
  transport: is.fn(),
  timer: is.rxScheduler(),
  random: is.fn(),
  uuid: is.fn(),
  ...ofCalls,
}

/** Keys are whole, or there are none and a source of tokens takes their place. */
const checkCredentials = ({ credentials }: ClientOptions): void => {
  if (credentials === undefined) return
  const isSource = 'token' in credentials
  const names = Object.keys(credentials)
  if (names.length === 0 || (isSource && names.length > 1)) {
    throw new InvalidOption('credentials', 'clientId and apiKey, or else token')
  }
  if (isSource) return
  for (const name of ['clientId', 'apiKey'] as const) {
    checkArgument(`credentials.${name}`, credentials[name], header)
  }
}

/** The options of a client, those that were given. Throws an `InvalidOption`. */
export const clientOptions = (given: ClientOptions): ClientOptions => {
  const options = checkOptions(given, ofClients)
  checkCredentials(options)
  return options
}

/** The options of `with`, those that were given. Throws an `InvalidOption`. */
export const callOptions = (given: CallOptions): CallOptions => checkOptions(given, ofCalls)
