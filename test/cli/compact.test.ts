/** `compact` on the command line. */
import { expect, it } from 'vitest'
import { listen } from '../../src/sandbox/index.js'
import { cli, folder } from './support.js'

const file = await folder()

it('leaves one row for each id, and says how many it removed', async () => {
  const { url, close } = await listen({ charges: 40, limits: false })
  const out = `${file('charges')}/`
  const night = (): Promise<unknown> =>
    cli([
      ...['export', 'charges', '--out', out, '--since-last', '--lookback', '9999d'],
      ...['--base-url', url, '--client-id', 'sandbox', '--api-key', 'sandbox-key', '--quiet'],
    ])
  await night()
  await night()
  await close()
  expect(await cli(['compact', out])).toEqual({
    status: 0,
    stdout: `40 rows in ${out}, 40 older ones removed; 2 files looked at\n`,
    stderr: '',
  })
  expect(await cli(['verify', out])).toMatchObject({ status: 0 })
})

it('refuses what is no folder of an export', async () => {
  const { status, stderr } = await cli(['compact', file('nowhere')])
  expect(status).toBe(2)
  expect(stderr).toContain('payments-rx: ')
})
