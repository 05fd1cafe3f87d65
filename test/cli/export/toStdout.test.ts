import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import * as t from 'io-ts'
import { lastValueFrom, NEVER, VirtualTimeScheduler } from 'rxjs'
import { expect, it } from 'vitest'
import { toStdout } from '../../../src/cli/export/toStdout.js'
import { type Format, formatOf, jsonLines } from '../../../src/export/index.js'
import { E } from '../../../src/fp.js'
import { away, csv, good, type Item, listOf, numbers } from '../../export/run/playing.js'

/** What came of a list, and what was written. */
const written = async (list: ReturnType<typeof listOf>, format: Format<Item>) => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const options = { stop: NEVER, timer: new VirtualTimeScheduler() }
  const last = await lastValueFrom(toStdout({ stdout, stderr }, format, list, options))
  stdout.end()
  stderr.end()
  return { last, out: await text(stdout), error: await text(stderr) }
}

it('a row that comes in two pages goes to stdout once', async () => {
  const { last, out } = await written(listOf([good(0, 1), good(1, 2)]), jsonLines())
  expect(last).toMatchObject({ rows: 3, repeated: 1, ended: true })
  expect(numbers(out)).toEqual([0, 1, 2])
})

it('a format that has an end gets it, also where the list fails', async () => {
  const json = formatOf(t.type({ id: t.string, n: t.number }))({ format: 'json' })
  if (E.isLeft(json)) throw new Error(json.left.message)
  for (const list of [listOf([good(0), good(1)]), listOf([good(0), good(1), away])]) {
    const { out } = await written(list, json.right)
    expect(JSON.parse(out)).toMatchObject([{ n: 0 }, { n: 1 }])
  }
})

it('a row that does not fit the format goes to stderr', async () => {
  const { last, out, error } = await written(listOf([good(0), good(2 ** 60, 1)]), csv('id', 'n'))
  expect(last).toMatchObject({ rows: 2, rejects: 1, ended: true })
  expect(out).toBe('id,n\r\nid-0,0\r\nid-1,1\r\n')
  expect(JSON.parse(error)).toMatchObject({
    index: 0,
    reason: expect.stringContaining('n should be '),
  })
})
