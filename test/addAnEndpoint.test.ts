/** The places that docs/internals/add-an-endpoint.md names; `npm run test:endpoint` follows it. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { steps } from '../scripts/addAnEndpoint.js'

const root = fileURLToPath(new URL('..', import.meta.url))

it.each(steps())('$file is as the page says', ({ file, below, code }) => {
  const path = join(root, file)
  const text = existsSync(path) ? readFileSync(path, 'utf8') : undefined
  if (below === undefined) expect([undefined, code]).toContain(text)
  else expect(text?.split('\n')).toContain(below)
})

it('the page has steps', () => {
  expect(steps().length).toBeGreaterThan(5)
})
