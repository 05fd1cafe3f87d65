import { count, lastValueFrom } from 'rxjs'
import { afterEach, expect, it, vi } from 'vitest'
import { clientFor } from '../../../src/cli/export/clientFor.js'
import { hasty } from '../../support/timers.js'

afterEach(() => vi.unstubAllGlobals())

/** A token, and so many pages, of which each hundredth has a row. */
const serving = (pages: number) => async (input: URL | Request | string) => {
  const url = new URL(input instanceof Request ? input.url : input)
  if (url.pathname.endsWith('/login')) return Response.json({ token: 'x' })
  const n = Number(url.searchParams.get('page') ?? 0)
  const items = n % 100 === 0 ? [{ id: `wh_${n}` }] : []
  return Response.json({ items, page_after: n + 1 < pages ? String(n + 1) : null })
}

it('reads lists to their end, however many pages they have', async () => {
  const pages = 10_010
  vi.stubGlobal('fetch', serving(pages))
  const flags = { limits: false, share: 1, patience: 0, exact: false }
  const { client } = clientFor({ timer: hasty() }, flags, {
    baseUrl: 'http://localhost:1',
    environment: 'production',
    credentials: { clientId: 'a', apiKey: 'b' },
    knownAs: 'x',
  })
  expect(await lastValueFrom(client.webhooks.list().pages.pipe(count()))).toBe(pages)
}, 60_000)
