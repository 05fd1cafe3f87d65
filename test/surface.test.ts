/** The public names of each entry, so that a change of surface shows in the diff. */
import { existsSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { entrySources, readSurface, type Surface, showSurface } from '../scripts/surface.js'
import { declarations } from './support/declarations.js'

let surface: Surface = new Map()

beforeAll(async () => {
  surface = await readSurface()
})

it('each entry of the package has a source', () => {
  const sources = [...entrySources()]
  expect(sources.filter(([, source]) => !existsSync(source))).toEqual([])
})

it('the entries export the names in surface.txt (accept a change with -u)', async () => {
  await expect(showSurface(surface)).toMatchFileSnapshot('surface.txt')
})

/** Types without a name of their own, by why they need none. */
const NAMELESS = new Set([
  // compute the options, calls or rows that have names
  ...[
    ...['Answers', 'AnyFields', 'Api', 'Checked', 'CodesOf', 'Family', 'GivenOptions', 'Holder'],
    'Keys',
  ],
  ...[
    ...['Make', 'MayBeUndefined', 'OpenType', 'OptionRule', 'OptionsOf', 'Required'],
    ...['SandboxTable', 'SingleNames'],
  ],
  'TaggedErrors',
  // parts of those with names: of a call, of a union, of a brand
  ...['AmountFailure', 'AnswerCall', 'Approving', 'CallRetry', 'InstantBrand', 'LogMethod'],
  ...['OfAttempt', 'OfCall', 'PayItemRows', 'SizedPaging'],
  // other words for a number, a text, a tuple or a map
  ...['AnyPosition', 'Bytes', 'Causes', 'Path', 'Seconds', 'StatusCounts', 'Variables'],
  // are passed between objects of this package, and never constructed by a caller
  ...[
    ...['DividedScheduler', 'Drainable', 'Encoder', 'Kept', 'ListCall', 'PageOrFailure'],
    'QuotaMember',
  ],
  ...['SchedulerCore', 'SourcePage', 'TextFindings'],
])

it('every type that a public one mentions has a name to import', async () => {
  const { nameless, close } = await declarations()
  const missing = await nameless(NAMELESS)
  await close()
  expect(missing).toEqual([])
})

it.each([...entrySources()])('%s has each of its values when it runs', async (entry, source) => {
  const names = surface.get(entry) ?? []
  const values = names.filter(({ kind }) => kind === 'value').map(({ name }) => name)
  expect(Object.keys(await import(source)).sort()).toEqual(values)
})
