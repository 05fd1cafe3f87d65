/** Numbers that make no export are refused before anything is done. */
import { describe, expect, it } from 'vitest'
import { Charge } from '../../src/codec/Charge.js'
import {
  exportList,
  formatOf,
  jsonLines,
  type Rotation,
  targetOf,
  toFolder,
} from '../../src/export/index.js'
import { memory } from './run/memory.js'
import { exportOf, listOf, pagesOf } from './run/playing.js'

const refused = (option: string) => ({
  name: 'InvalidOption',
  option,
  message: expect.stringMatching(`^${option} should be a `),
})

describe.each([0, -1, 1.5, Number.NaN])('%d', (n) => {
  it.each(['rows', 'bytes'] as const)('is no rotation by %s', async (by) => {
    const rotation: Rotation = { [by]: n }
    const files = memory()
    const out = '/exports/items/'
    await expect(
      toFolder({ path: out, format: jsonLines(), rotation, files }),
    ).rejects.toMatchObject(refused(`rotation.${by}`))
    expect(() => targetOf({ out, format: jsonLines(), rotation, files })).toThrow(
      expect.objectContaining(refused(`rotation.${by}`)),
    )
    expect(files.changes()).toBe(0)
  })

  it('is no row group', () => {
    expect(() => formatOf(Charge)({ format: 'parquet', rowGroup: n })).toThrow(
      expect.objectContaining(refused('rowGroup')),
    )
  })
})

it('a part may have any number of rows, or one', () => {
  const rotation = { rows: Number.POSITIVE_INFINITY, bytes: 1 }
  expect(() => targetOf({ out: 'items/', format: jsonLines(), rotation })).not.toThrow()
})

it.each(['every', 'maxRejects'] as const)('%s is a number', (option) => {
  const sink = async (): Promise<void> => {}
  const list = listOf(pagesOf(1, 1)).pages()
  const wrong = expect.objectContaining({ ...refused(option), message: expect.any(String) })
  expect(() => exportList({ list, sink, rejects: sink, [option]: Number.NaN })).toThrow(wrong)
  expect(() => exportOf(memory(), listOf([]), { [option]: Number.NaN })).toThrow(wrong)
})

it('the requests that the limits allow are a number above 0', () => {
  expect(() => exportOf(memory(), listOf([]), { perSecond: 0 })).toThrow(
    expect.objectContaining(refused('perSecond')),
  )
})
