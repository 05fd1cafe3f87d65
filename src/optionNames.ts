/** The names that options have. One that is misspelt would change nothing, and nobody would be told. */
import type { Limits } from './api/limits.js'
import { type CallOptions, type ClientOptions, InvalidOption } from './ClientOptions.js'
import type { ListOptions } from './http/list.js'
import type { Credentials } from './http/login.js'
import type { Timeout } from './http/Transport.js'

/** Of an option: whatever it is made of, or an object of these names. */
type Inside = true | Readonly<Record<string, true>>
type Names<T> = Readonly<Record<keyof T, Inside>>

const timeout: Record<keyof Timeout, true> = {
  connect: true,
  headers: true,
  body: true,
  whole: true,
}

const ofCalls: Names<CallOptions> = {
  apiVersion: true,
  onBehalfOf: true,
  timeout,
  priority: true,
  check: true,
}

const credentials: Record<keyof Credentials | 'token', true> = {
  clientId: true,
  apiKey: true,
  loginAs: true,
  token: true,
}
const partner: Record<keyof NonNullable<ClientOptions['partner']>, true> = {
  clientId: true,
  clientSecret: true,
}
const limits: Record<keyof Limits, true> = {
  global: true,
  endpoint: true,
  concurrency: true,
  logins: true,
}
const retry: Record<keyof NonNullable<ClientOptions['retry']>, true> = {
  throttled: true,
  faults: true,
  budget: true,
}
const codes: Record<keyof NonNullable<ClientOptions['codes']>, true> = {
  duplicate: true,
  inProgress: true,
  fault: true,
}
const lists: Record<keyof ListOptions, true> = { maxPages: true, maxEmptyPages: true }

const ofClients: Names<ClientOptions> = {
  baseUrl: true,
  credentials,
  partner,
  environment: true,
  limits,
  share: true,
  guard: true,
  scheduler: true,
  retry,
  codes,
  numbers: true,
  drift: true,
  lists,
  renewEarly: true,
  maxBytes: true,
  fetch: true,
  transport: true,
  timer: true,
  random: true,
  uuid: true,
  ...ofCalls,
}

const check = (where: string, u: unknown, names: Readonly<Record<string, Inside>>): void => {
  const known = Object.keys(names).join(', ')
  if (typeof u !== 'object' || u === null || Array.isArray(u)) {
    throw new InvalidOption(where === '' ? 'options' : where, `an object of ${known}`)
  }
  for (const [name, value] of Object.entries(u)) {
    const path = where === '' ? name : `${where}.${name}`
    const inside = Object.hasOwn(names, name) ? names[name] : undefined
    if (inside === undefined) {
      throw new InvalidOption(path, `left out: there is no such option, only ${known}`)
    }
    if (inside !== true && value !== undefined) check(path, value, inside)
  }
}

/** Throws an `InvalidOption` for a name that no option of a client has. */
export const checkNames = (options: ClientOptions): void => check('', options, ofClients)

/** Throws an `InvalidOption` for a name that no option of `with` has. */
export const checkCallNames = (options: CallOptions): void => check('', options, ofCalls)
