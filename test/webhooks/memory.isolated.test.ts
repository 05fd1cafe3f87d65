/** The heap of a receiver under hostile deliveries: in a process of its own. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { createReceiver } from '../../src/webhooks/index.js'
import { headers, SECRET } from './support.js'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const MIB = 2 ** 20
const DELIVERIES = 20
/** A part of one byte, kept as it came, takes 100 to 250 bytes: 20 such bodies would take 500 MiB. */
const PARTS = 128 * 1_024

const held = (): number => {
  collectGarbage()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

it('holds the bytes of bodies that come byte by byte, and not their parts', async () => {
  const { fetch, events } = createReceiver({
    secret: SECRET,
    bodyTimeout: Number.POSITIVE_INFINITY,
  })
  events.subscribe()
  const before = held()
  const sources: Array<ReadableStreamDefaultController<Uint8Array>> = []
  const send = (): Promise<void> =>
    new Promise((resolve) => {
      let parts = 0
      const body = new ReadableStream<Uint8Array>(
        {
          pull: (out) => {
            if (parts++ < PARTS) return out.enqueue(new Uint8Array(1))
            sources.push(out)
            resolve()
            return new Promise(() => {}) // the last byte never comes
          },
        },
        { highWaterMark: 0 },
      )
      const init = { method: 'POST', headers: headers(''), body, duplex: 'half' }
      void fetch(new Request('http://here', init))
    })
  await Promise.all(Array.from({ length: DELIVERIES }, send))
  expect((held() - before) / MIB).toBeLessThan(16)
  expect(sources).toHaveLength(DELIVERIES)
})
