import { expect, it } from 'vitest'
import { calls } from './docs/calls.js'
import { printApi } from './docs/printApi.js'

// `npx vitest run test/api/docs.test.ts -u` prints them anew

it('every row says in one line what its call does', () => {
  for (const { comment, row } of calls) expect(`${row.route}: ${comment}`).toMatch(/: [A-Z].+\.$/)
})

it('docs/api.md is what the rows print', async () => {
  await expect(printApi()).toMatchFileSnapshot('../../docs/api.md')
})
