import { PassThrough } from 'node:stream'
import { lastValueFrom, NEVER, VirtualTimeScheduler } from 'rxjs'
import { expect, it } from 'vitest'
import { toStdout } from '../../../src/cli/export/toStdout.js'
import { jsonLines } from '../../../src/export/index.js'
import { good, listOf, numbers } from '../../export/run/playing.js'

it('a row that comes in two pages goes to stdout once', async () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const list = listOf([good(0, 1), good(1, 2)])
  const last = await lastValueFrom(
    toStdout({ stdout, stderr }, jsonLines(), list, {
      ...{ stop: NEVER, timer: new VirtualTimeScheduler() },
    }),
  )
  expect(last).toMatchObject({ rows: 3, repeated: 1, ended: true })
  expect(numbers(String(stdout.read()))).toEqual([0, 1, 2])
})
