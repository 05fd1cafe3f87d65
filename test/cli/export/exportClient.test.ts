import { count, firstValueFrom, lastValueFrom } from 'rxjs'
import { afterEach, expect, it, vi } from 'vitest'
import { exportClient, guardFor } from '../../../src/cli/export/exportClient.js'
import { idleClock } from '../../support/idleClock.js'
import { isWhole } from '../../support/runs.js'

afterEach(() => vi.unstubAllGlobals())

interface Page {
  readonly items: ReadonlyArray<unknown>
  readonly page_after?: string | null
}

/** A token, and so many pages, of which each hundredth has a row. */
const serving =
  (pages: number, page: (whole: Page) => Page = (whole) => whole) =>
  async (input: URL | Request | string) => {
    const url = new URL(input instanceof Request ? input.url : input)
    if (url.pathname.endsWith('/login')) return Response.json({ token: 'x' })
    const n = Number(url.searchParams.get('page') ?? 0)
    const items = n % 100 === 0 ? [{ id: `wh_${n}` }] : []
    return Response.json(page({ items, page_after: n + 1 < pages ? String(n + 1) : null }))
  }

const clientAt = (flags: { readonly limits?: boolean; readonly share?: number } = {}) =>
  exportClient(
    { timer: idleClock },
    { limits: false, share: 1, patience: 0, exact: false, ...flags },
    {
      baseUrl: 'http://localhost:2',
      environment: 'production',
      credentials: { clientId: 'a', apiKey: 'b' },
    },
  )

it('requires an explicit end of numbered pages', async () => {
  vi.stubGlobal(
    'fetch',
    serving(1, ({ items }) => ({ items })),
  )
  const { charges, webhooks } = clientAt()
  expect(await firstValueFrom(charges.list())).toMatchObject({
    left: { _tag: 'Undecodable', path: 'has_more' },
  })
  expect(await lastValueFrom(webhooks.list().pages.pipe(count()))).toBe(1)
})

it('reads lists to their end, however many pages they have', async () => {
  const pages = isWhole ? 10_010 : 1_010
  vi.stubGlobal('fetch', serving(pages))
  expect(await lastValueFrom(clientAt().webhooks.list().pages.pipe(count()))).toBe(pages)
})

it.each([
  [1, [20, 100, 50]],
  [0.5, [10, 50, 25]],
])('keeps its share of the limits: %d', async (share, limits) => {
  const { scheduler } = clientAt({ limits: true, share })
  const { tiers } = await firstValueFrom(scheduler.state)
  const limitOf = (name: string) => tiers.find((tier) => tier.name === name)?.limit
  expect(['endpoint', 'global', 'concurrency'].map(limitOf)).toEqual(limits)
})

it('the guard is learned, and safe for a sandbox in the same process, unless it is given', () => {
  expect(guardFor({})).toBe('learned')
  expect(guardFor({ sandbox: true })).toBe('safe')
  expect(guardFor({ sandbox: true, guard: 5 })).toBe(5)
  expect(guardFor({ guard: 'safe' })).toBe('safe')
})
