/** The public names of each entry, so that a change of surface shows in the diff. */
import { existsSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { entrySources, readSurface, type Surface, showSurface } from '../scripts/surface.js'

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

it.each([...entrySources()])('%s has each of its values when it runs', async (entry, source) => {
  const names = surface.get(entry) ?? []
  const values = names.filter(({ kind }) => kind === 'value').map(({ name }) => name)
  expect(Object.keys(await import(source)).sort()).toEqual(values)
})
