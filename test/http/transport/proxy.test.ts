/** Behind a proxy, which is asked for a tunnel before anything is sent. */
import type { Socket } from 'node:net'
import { firstValueFrom, VirtualTimeScheduler } from 'rxjs'
import { ProxyAgent } from 'undici'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { E } from '../../../src/fp.js'
import { kyTransport } from '../../../src/http/transport/kyTransport.js'
import type { HttpResponse, TransportError } from '../../../src/index.js'
import { clientOf, closing } from '../../support/judged.js'
import { speaking } from '../../support/speaking.js'
import { PATIENT } from '../../support/timeouts.js'

const TUNNEL = 'HTTP/1.1 200 Connection established\r\n\r\n'
const REFUSED = 'HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n'

/** The runtime's `fetch` goes through a proxy that does these in turn on what it hears of a connection. */
const behind = async (...says: ReadonlyArray<(socket: Socket) => void>) => {
  const heard: Array<string> = []
  const { port } = closing(
    await speaking((socket) => {
      let count = 0
      socket.on('data', (data) => {
        heard.push(data.toString('latin1'))
        says[count++]?.(socket)
      })
    }),
  )
  const dispatcher = new ProxyAgent({ uri: `http://127.0.0.1:${port}`, proxyTunnel: true })
  closing({ close: () => dispatcher.destroy() })
  const direct = fetch
  vi.stubGlobal('fetch', (input: Request, init?: RequestInit) =>
    direct(input, Object.assign({ dispatcher }, init)),
  )
  return { heard }
}

afterEach(() => {
  vi.unstubAllGlobals()
})

const post = (url: string) =>
  ({ method: 'POST', url, headers: {}, body: '{}', timeout: PATIENT }) as const

const send = (url: string) => firstValueFrom(kyTransport()(post(url)))

const tunnel = (socket: Socket): void => {
  socket.write(TUNNEL)
}

const end = (socket: Socket): void => {
  socket.destroy()
}

describe('behind a proxy', () => {
  it.each<readonly [string, ReadonlyArray<(socket: Socket) => void>]>([
    ['the proxy refuses', [(socket) => socket.end(REFUSED)]],
    ['the handshake of TLS fails in the tunnel', [tunnel, end]],
  ])('nothing has arrived when %s', async (_, says) => {
    const { heard } = await behind(...says)
    expect(await send('https://platform.test/x')).toMatchObject(
      E.left({ _tag: 'Unreachable', mayHaveArrived: false }),
    )
    expect(heard[0]).toMatch(/^CONNECT platform\.test:443 /)
    expect(heard).toHaveLength(says.length)
  })

  it('a request that went through the tunnel may have arrived', async () => {
    const { heard } = await behind(tunnel, end)
    expect(await send('http://platform.test/x')).toMatchObject(
      E.left({ _tag: 'Unreachable', mayHaveArrived: true }),
    )
    expect(heard[1]).toMatch(/^POST \/x /)
  })

  it('a write that never left is repeated, and not ambiguous', async () => {
    await behind(tunnel, end)
    const client = clientOf('https://platform.test', {
      credentials: { token: () => Promise.resolve({ token: 'own-token' }) },
      retry: { faults: 1 },
    })
    expect(await firstValueFrom(client.batchTransfers.submit({ id: 'bat_1' }))).toMatchObject(
      E.left({ _tag: 'Unreachable', mayHaveArrived: false, attempts: 2 }),
    )
  })

  it('a proxy that says nothing is a connection that is not made in time', async () => {
    const { heard } = await behind()
    const timer = new VirtualTimeScheduler()
    const timeout = { ...PATIENT, connect: 500, headers: 900 }
    const out: Array<E.Either<TransportError, HttpResponse>> = []
    const subscription = kyTransport({ timer })({
      ...post('https://platform.test/x'),
      timeout,
    }).subscribe((answer) => out.push(answer))
    while (heard.length === 0) await new Promise(setImmediate)
    timer.maxFrames = 500
    timer.flush()
    subscription.unsubscribe()
    expect(out).toEqual([E.left({ _tag: 'TimedOut', phase: 'connect', limit: 500 })])
  })
})
