/** A body that is under way is given up with its connection, also after a garbage collection. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { firstValueFrom, ReplaySubject, VirtualTimeScheduler } from 'rxjs'
import { beforeAll, describe, expect, it } from 'vitest'
import { E } from '../../src/fp.js'
import { kyTransport } from '../../src/http/transport/kyTransport.js'
import type { Fetch, HttpRequest } from '../../src/index.js'
import { closing } from '../support/judged.js'
import { speaking } from '../support/speaking.js'
import { PATIENT } from '../support/timeouts.js'

let collect = (): void => {}

beforeAll(() => {
  setFlagsFromString('--expose-gc')
  collect = runInNewContext('gc')
})

/** Collects garbage. */
const collected = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) {
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** A server that stops in the middle of a body, and what it sees of a connection. */
const stalling = async (status: number) => {
  const begun = new ReplaySubject<Socket>(1)
  const { port } = closing(
    await speaking((socket) => {
      socket.once('data', () => {
        socket.write(`HTTP/1.1 ${status} X\r\ncontent-length: 100\r\n\r\nhalf`)
        begun.next(socket)
      })
    }),
  )
  const request: HttpRequest = {
    method: 'GET',
    url: `http://127.0.0.1:${port}/`,
    headers: {},
    timeout: PATIENT,
  }
  return { request, begun }
}

const own: Fetch = (url, { signal, ...init }) => fetch(url, { ...init, signal })
const ofRequest: Fetch = (url, init) => fetch(new Request(url, init))

describe.each([
  ['the fetch of the runtime', {}],
  ['a fetch of the caller', { fetch: own }],
  ['one that makes a Request', { fetch: ofRequest }],
])('a body that stalls, sent by %s', (_, options) => {
  it.each([200, 500])('is cancelled by unsubscribing (%i)', async (status) => {
    const { request, begun } = await stalling(status)
    const listening = kyTransport(options)(request).subscribe()
    const socket = await firstValueFrom(begun)
    await collected()
    const closed = once(socket, 'close')
    listening.unsubscribe()
    await closed
    expect(socket.closed).toBe(true)
  })

  it('ends with a time limit', async () => {
    const { request, begun } = await stalling(200)
    const timer = new VirtualTimeScheduler()
    const answer = firstValueFrom(kyTransport({ ...options, timer })(request))
    const socket = await firstValueFrom(begun)
    await collected()
    const closed = once(socket, 'close')
    while (!socket.closed) {
      timer.maxFrames += PATIENT.whole
      timer.flush()
      await Promise.race([closed, new Promise((resolve) => setImmediate(resolve))])
    }
    expect(await answer).toMatchObject(E.left({ _tag: 'TimedOut' }))
  })
})
