/** A way to a service of HTTP on which each request is an operation of one owner. */
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Owner } from '../../../src/export/laws/Owner.js'

interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: Buffer
}

export interface Way {
  readonly url: string
  readonly close: () => void
}

const bytesOf = async (from: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of from) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Listens on a free port, and passes requests on as they come: their signature has the name of the host that was asked. */
export const throughProxy = async (service: string, owner: Owner): Promise<Way> => {
  const { hostname, port } = new URL(service)
  const server = createServer(async (asked, response) => {
    const body = await bytesOf(asked)
    const { url = '/', method, headers } = asked
    const pass = () =>
      new Promise<Answer>((resolve, reject) => {
        const passed = request({ hostname, port, path: url, method, headers }, async (answer) => {
          const { statusCode = 500, headers } = answer
          resolve({ status: statusCode, headers, body: await bytesOf(answer) })
        })
        passed.on('error', reject)
        passed.end(body)
      })
    const answer = await owner.named(method ?? '', pass).catch(() => undefined)
    if (answer === undefined) return void response.destroy()
    response
      .writeHead(answer.status, { ...answer.headers } as Record<string, string>)
      .end(answer.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port: own } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${own}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
