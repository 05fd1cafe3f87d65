/** Names and attributes of spans and metrics: OpenTelemetry's semantic conventions for HTTP, and our own. */
import type { Attributes } from '@opentelemetry/api'
import { tables } from '../api/index.js'
import { withoutUndefined } from '../fp.js'
import type { ClientEvent } from '../http/ClientEvent.js'

type Event<Tag> = Extract<ClientEvent, { readonly _tag: Tag }>

/** Returns the attributes of a server, given its URL without a path. */
export const serverAttributes = (baseUrl: string): Attributes => {
  const { hostname, port, protocol } = new URL(baseUrl)
  return {
    'server.address': hostname.replace(/^\[|\]$/g, ''), // brackets of IPv6
    'server.port': port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
  }
}

/** Returns the attributes that all requests of a call have. They contain no ids: only the template of a path, and no URL. */
export const requestAttributes = ({ method, template, baseUrl }: Event<'Started'>): Attributes => ({
  'http.request.method': method,
  'url.template': template,
  ...serverAttributes(baseUrl),
})

/** Returns the attributes of a response, or of the reason why there is no response. */
export const resultAttributes = (event: Event<'Answered' | 'Unanswered'>): Attributes => {
  if (event._tag === 'Answered') {
    const { status } = event
    return {
      'http.response.status_code': status,
      ...withoutUndefined({ 'error.type': status >= 400 ? `${status}` : undefined }),
    }
  }
  const { failure } = event
  return { 'error.type': failure._tag === 'TimedOut' ? 'timeout' : failure.code }
}

/** Names of calls by route, such as `charges.retrieve`. */
export const callNames = (): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(tables).flatMap(([resource, calls]) =>
      Object.entries(calls).map(([name, { route }]) => [route, `${resource}.${name}`] as const),
    ),
  )
