import { type AnyEndpoint, method, pathNames, template } from '../../src/api/Endpoint.js'
import type { PreparedRequest } from '../../src/http/request/prepareRequest.js'

const fromQuery = (query: URLSearchParams, name: string): unknown => {
  const all = query.getAll(name)
  return all.length > 1 ? all : all[0]
}

const fromPath = (
  row: AnyEndpoint,
  { pathname }: URL,
): ReadonlyArray<readonly [string, unknown]> => {
  const pattern = template(row.route).replace(/\{[^}]+\}/g, '([^/]+)')
  const [, ...segments] = new RegExp(`^${pattern}$`).exec(pathname) ?? []
  return pathNames(row.route).map((name, i) => [name, decodeURIComponent(segments[i] ?? '')])
}

/** The parameters that a service finds in a request, by where the row says they are. */
export const received = (
  row: AnyEndpoint,
  { target, headers, body = 'null' }: PreparedRequest,
): unknown => {
  const url = new URL(target, 'http://platform.test')
  const sent = new Headers(headers)
  const content: unknown = JSON.parse(body)
  const placed = Object.entries(row.at).map(([name, place = '']) => [
    name,
    place === 'whole body'
      ? content
      : place === 'query'
        ? fromQuery(url.searchParams, name)
        : (sent.get(place.slice('header '.length)) ?? undefined),
  ])
  const usual =
    method(row.route) === 'GET'
      ? Array.from(url.searchParams.keys(), (name) => [name, fromQuery(url.searchParams, name)])
      : Array.isArray(content)
        ? []
        : Object.entries(Object(content))
  const all = [...usual, ...placed, ...fromPath(row, url)]
  return Object.fromEntries(all.filter(([, value]) => value !== undefined))
}
