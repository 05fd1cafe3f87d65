/**
 * A test file's own Redis server, on a free port of this machine, and a connection that needs no package. If Debian's
 * `redis-server` is not installed, the tests that need it are skipped, and counted in the last line of output.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { freePort, untilAnswered } from './startServer.ts'

const folder = [...(process.env.PATH ?? '').split(':'), '/usr/bin'].find((one) =>
  existsSync(join(one, 'redis-server')),
)

export const hasRedis = folder !== undefined

export interface Redis {
  readonly port: number
  readonly send: (command: ReadonlyArray<string>) => Promise<unknown>
  readonly signal: (signal: NodeJS.Signals) => void
  /** Resolves once the server has ended and its port is free. */
  readonly stop: () => Promise<void>
}

const IN_MEMORY = ['--save', '', '--appendonly', 'no']

/** Starts a server without data on this port, or on a free one. */
export const startRedis = async (
  given?: number,
  flags: ReadonlyArray<string> = IN_MEMORY,
): Promise<Redis> => {
  const port = given ?? (await freePort())
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', ...flags]
  const server = spawn(join(folder ?? '', 'redis-server'), args, { stdio: 'ignore' })
  const ended = new Promise((resolve) => server.once('exit', resolve))
  const client = redisClient(port)
  await untilAnswered(() => client.send(['PING']))
  return {
    port,
    send: client.send,
    signal: (signal) => {
      server.kill(signal)
    },
    stop: async () => {
      client.close()
      server.kill('SIGKILL')
      await ended
    },
  }
}

interface Waiting {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

/** A client that uses RESP2. A command fails if the connection fails; the next one reconnects. */
export const redisClient = (port: number) => {
  let socket: Socket | undefined
  let waiting: Array<Waiting> = []

  const open = (): Socket => {
    const opened = connect(port, '127.0.0.1').setNoDelay()
    let rest = Buffer.alloc(0)
    opened.on('data', (data) => {
      rest = Buffer.concat([rest, data])
      for (let reply = parse(rest, 0); reply !== undefined; reply = parse(rest, 0)) {
        rest = rest.subarray(reply.end)
        const first = waiting.shift()
        if (reply.value instanceof Error) first?.reject(reply.value)
        else first?.resolve(reply.value)
      }
    })
    opened.on('error', () => {})
    opened.on('close', () => {
      if (socket === opened) socket = undefined
      for (const { reject } of waiting.splice(0)) reject(new Error('ECONNRESET'))
    })
    return opened
  }

  return {
    send: (command: ReadonlyArray<string>): Promise<unknown> =>
      new Promise((resolve, reject) => {
        socket ??= open()
        waiting.push({ resolve, reject })
        const parts = command.map((part) => `$${Buffer.byteLength(part)}\r\n${part}\r\n`)
        socket.write(`*${command.length}\r\n${parts.join('')}`)
      }),
    close: () => {
      waiting = []
      socket?.destroy()
    },
  }
}

/** Returns one reply and its end; `undefined` if the reply is incomplete. */
const parse = (
  bytes: Buffer,
  from: number,
): { readonly value: unknown; readonly end: number } | undefined => {
  const lineEnd = bytes.indexOf('\r\n', from)
  if (lineEnd < 0) return undefined
  const line = bytes.toString('utf8', from + 1, lineEnd)
  const end = lineEnd + 2
  switch (String.fromCharCode(bytes[from] ?? 0)) {
    case ':':
      return { value: Number(line), end }
    case '-':
      return { value: new Error(line), end }
    case '$': {
      const length = Number(line)
      if (length < 0) return { value: null, end }
      if (bytes.length < end + length + 2) return undefined
      return { value: bytes.toString('utf8', end, end + length), end: end + length + 2 }
    }
    case '*': {
      const items: Array<unknown> = []
      let at = end
      for (let left = Number(line); left > 0; left--) {
        const item = parse(bytes, at)
        if (item === undefined) return undefined
        items.push(item.value)
        at = item.end
      }
      return { value: items, end: at }
    }
    default:
      return { value: line, end }
  }
}
