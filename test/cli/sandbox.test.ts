import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Server } from 'node:net'
import { Writable } from 'node:stream'
import { asyncScheduler, Subject } from 'rxjs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { builtCommand } from '../support/built.js'
import { until } from '../support/until.js'
import { cli, type Run } from './support.js'

const loginHeaders = { 'x-client-id': 'sandbox', 'x-api-key': 'sandbox-key' }

it('prints its address, answers, and stops at a signal', async () => {
  const signals = new Subject<'SIGTERM'>()
  let url = ''
  const stdout = new Writable({
    write: (chunk, _encoding, done) => {
      done()
      const [, address] = /^listening on (http:\/\/127\.0\.0\.1:\d+)\n/.exec(String(chunk)) ?? []
      if (address === undefined) return
      url = address
      void fetch(`${url}/api/v1/charges`).then(({ status }) => {
        answered = status
        signals.next('SIGTERM')
      })
    },
  })
  let answered = 0
  const { status } = await cli(['sandbox', '--rows', '5', '--no-limits'], { stdout, signals })
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect(answered).toBe(401)
  expect(status).toBe(0)
  await expect(fetch(url)).rejects.toThrow()
})

it('stops at a signal that comes right after its address', async () => {
  const signals = new Subject<'SIGTERM'>()
  const stdout = new Writable({
    write: (_chunk, _encoding, done) => {
      signals.next('SIGTERM')
      done()
    },
  })
  expect(await cli(['sandbox'], { stdout, signals })).toMatchObject({ status: 0, stderr: '' })
})

it('has batches, which can be exported', async () => {
  const signals = new Subject<'SIGTERM'>()
  const exported = new Promise<Run>((resolve, reject) => {
    const stdout = new Writable({
      write: (chunk, _encoding, done) => {
        done()
        const url = /^listening on (\S+)\n/.exec(String(chunk))?.[1]
        if (url === undefined) return
        const keys = ['--client-id', 'sandbox', '--api-key', 'sandbox-key', '--progress', 'none']
        cli(['export', 'batch-transfers', '--base-url', url, '--out', '-', ...keys])
          .then(resolve, reject)
          .finally(() => signals.next('SIGTERM'))
      },
    })
    cli(['sandbox', '--batches', '60'], { stdout, signals }).catch(reject)
  })
  const { status, stdout } = await exported
  expect([status, stdout.trimEnd().split('\n').length]).toEqual([0, 60])
})

it.each([
  ['EACCES', 'port 80 requires root (EACCES): choose 1024 or higher'],
  ['EPERM', 'cannot listen on port 80: listen EPERM'],
])('says in one line that it cannot listen: %s', async (code, said) => {
  const listening = vi.spyOn(Server.prototype, 'listen').mockImplementation(function (
    this: Server,
  ) {
    queueMicrotask(() => this.emit('error', Object.assign(new Error(`listen ${code}`), { code })))
    return this
  })
  try {
    const { status, stderr } = await cli(['sandbox', '--port', '80'])
    expect([status, stderr]).toEqual([1, `payments-rx: ${said}\n`])
  } finally {
    listening.mockRestore()
  }
})

it('reports that its port is in use', async () => {
  const signals = new Subject<'SIGINT'>()
  const stdout = new Writable({
    write: (chunk, _encoding, done) => {
      done()
      const port = /^listening on .*:(\d+)\n/.exec(String(chunk))?.[1]
      if (port === undefined) return
      void cli(['sandbox', '--port', port]).then((second) => {
        expect(second.stderr).toMatch(
          /^payments-rx: port \d+ is in use: choose another one, or 0 for a free one\n$/,
        )
        expect(second.status).toBe(1)
        signals.next('SIGINT')
      })
    },
  })
  await cli(['sandbox'], { stdout, signals })
  expect.assertions(2)
})

/** Starts a sandbox by the command, and stops it when `work` is done. */
const withServer = async (
  args: ReadonlyArray<string>,
  work: (url: string, lines: ReadonlyArray<string>) => Promise<void>,
): Promise<void> => {
  const signals = new Subject<'SIGTERM'>()
  let text = ''
  let ready = () => {}
  const printed = new Promise<void>((resolve) => {
    ready = resolve
  })
  const stdout = new Writable({
    write: (chunk, _encoding, done) => {
      text += String(chunk)
      done()
      if (text.includes('Ctrl-C')) ready()
    },
  })
  const options = { stdout, signals, timer: asyncScheduler }
  const running = cli(['sandbox', '--no-limits', ...args], options)
  await printed
  const lines = text.trimEnd().split('\n')
  try {
    await work(lines[0]?.replace('listening on ', '') ?? '', lines)
  } finally {
    signals.next('SIGTERM')
    await running
  }
}

const login = (url: string, headers: Record<string, string>) =>
  fetch(`${url}/api/v1/authentication/login`, { method: 'POST', headers })

it('prints the variables that a shell needs, and how to stop it', () =>
  withServer(['--rows', '5'], async (url, lines) => {
    expect(lines).toEqual([
      `listening on ${url}`,
      `export PAYMENTS_BASE_URL=${url}`,
      'export PAYMENTS_CLIENT_ID=sandbox',
      'export PAYMENTS_API_KEY=sandbox-key',
      'Press Ctrl-C to stop.',
    ])
  }))

it('takes credentials of its own, and does not print the key', () =>
  withServer(['--client-id', 'me', '--api-key', 'my-own-key'], async (url, lines) => {
    expect(lines.join()).not.toContain('my-own-key')
    const mine = await login(url, { 'x-client-id': 'me', 'x-api-key': 'my-own-key' })
    expect(mine.status).toBe(201)
    const other = await login(url, { 'x-client-id': 'sandbox', 'x-api-key': 'sandbox-key' })
    expect(other.status).toBe(401)
  }))

it('spreads its charges from --since to now', () =>
  withServer(['--rows', '200', '--since', '30d'], async (url) => {
    const { token } = await (await login(url, loginHeaders)).json()
    const read = async (page: number) => {
      const path = `/api/v1/charges?page_size=100&page_num=${page}`
      const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })
      return (await answer.json()).items.map((row: { created_at: string }) =>
        Date.parse(row.created_at),
      )
    }
    const times = [...(await read(0)), ...(await read(1))]
    const age = (ms: number) => (Date.now() - ms) / 86_400_000
    expect(age(Math.min(...times))).toBeCloseTo(30, 0)
    expect(age(Math.max(...times))).toBeCloseTo(0, 0)
  }))

it('answers with its counts, faults included', () =>
  withServer(['--rows', '5', '--faults', '500=1'], async (url) => {
    await fetch(`${url}/api/v1/charges`)
    const stats = await (await fetch(`${url}/__sandbox/stats`)).json()
    expect(stats).toMatchObject({ requests: 1, faults: { 500: 1 }, deliveries: { sent: 0 } })
    const post = await fetch(`${url}/__sandbox/stats`, { method: 'POST' })
    expect(post.status).toBe(405)
  }))

it('subscribes a URL to all events, and prints the secret that verifies them', async () => {
  const receiver = createServer()
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const address = receiver.address()
  const port = typeof address === 'object' ? address?.port : 0
  const came = new Promise<string>((resolve) => {
    receiver.on('request', (incoming, outgoing) => {
      incoming.resume()
      incoming.on('end', () => {
        outgoing.end()
        resolve(String(incoming.headers['x-signature']))
      })
    })
  })
  const webhooks = ['--webhooks', `http://127.0.0.1:${port}/`, '--arrivals', '10ms', '--rows', '5']
  await withServer(webhooks, async (_, lines) => {
    expect(lines).toContainEqual(expect.stringMatching(/^export PAYMENTS_WEBHOOK_SECRET=whsec_/))
    expect(await came).toMatch(/^[0-9a-f]{64}$/)
  })
  receiver.close()
})

it.each([
  [['--faults', 'x=1'], /Each name should be one of 429, /],
  [['--faults', '429=2'], /429 should be a probability from 0 to 1/],
  [['--delivery-faults', 'twice'], /twice should be a probability/],
  [
    ['--since', 'soon'],
    /It should be an ISO 8601 time or date, now, today, yesterday, or how long ago/,
  ],
  [['--arrivals', '5'], /It needs a unit/],
  [['--webhooks', 'localhost:3000'], /--webhooks should be an HTTP or HTTPS URL/],
  [
    ['--webhooks', 'http://shop.test/hook'],
    /another machine: allow it with --deliver-to shop\.test/,
  ],
  [['--deliver-to', 'shop.test:3000'], /--deliver-to should be a host without port/],
  [['--deliver-to', 'http://shop.test/'], /a host without port/],
])('refuses %j', async (args, message) => {
  const { status, stderr } = await cli(['sandbox', ...args])
  expect(status).toBe(2)
  expect(stderr).toMatch(message)
})

it.skipIf(process.platform !== 'linux')('goes on when the shell of npm is replaced', async () => {
  const script = '"$0" "$@" & read line; exec sleep 60'
  const args = ['-c', script, process.execPath, await builtCommand(), 'sandbox', '--rows', '5']
  const shell = spawn('sh', args, {
    env: { ...process.env, npm_command: 'run-script' },
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  })
  onTestFinished(() => {
    process.kill(-(shell.pid ?? 0)) // with the sandbox
  })
  const [text] = await once(shell.stdout, 'data')
  const url = /^listening on (\S+)$/m.exec(String(text))?.[1] ?? ''
  shell.stdin.write('\n')
  // the sandbox looks for its parent each second of real time; on a busy machine it has looked less often, and still runs
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  expect((await fetch(url)).status).toBe(404)
})

it.each([
  ['at once', false],
  ['by a shell', true],
])('ends when the npx that started it %s has ended', async (_, isByShell) => {
  // a parent that ends at once, without a signal to its child
  const parent = `
    const { spawn } = require('node:child_process')
    const args = [${JSON.stringify(await builtCommand())}, 'sandbox', '--rows', '5']
    const command = ${isByShell} ? ['sh', '-c', '"$0" "$@"; true', process.execPath] : [process.execPath]
    const child = spawn(command[0], [...command.slice(1), ...args], { stdio: ['ignore', 'pipe', 'inherit'], detached: true })
    child.stdout.once('data', (text) => { process.stdout.write(text, () => process.exit()) })`
  const env = { ...process.env, npm_command: 'exec' }
  const started = execFileSync(process.execPath, ['-e', parent], { env, encoding: 'utf8' })
  const url = /^listening on (\S+)$/m.exec(started)?.[1] ?? ''
  await until(() =>
    fetch(url).then(
      () => false,
      () => true,
    ),
  )
})

describe('with a program', () => {
  /** Runs the built command; returns status, stdout and stderr. */
  const sandbox = async (...args: ReadonlyArray<string>) => {
    const command = await builtCommand()
    return new Promise<readonly [unknown, string, string]>((resolve) => {
      execFile(process.execPath, [command, 'sandbox', ...args], (error, stdout, stderr) =>
        resolve([error?.code ?? 0, stdout, stderr]),
      )
    })
  }
  const node = (code: string) => [process.execPath, '--input-type=module', '-e', code]

  it('sets the connection, runs it, stops, and ends with its status', async () => {
    const program = `
      const { PAYMENTS_BASE_URL: url, PAYMENTS_CLIENT_ID: id, PAYMENTS_API_KEY: key } = process.env
      const headers = { 'x-client-id': id, 'x-api-key': key }
      const { status } = await fetch(url + '/api/v1/authentication/login', { method: 'POST', headers })
      console.log(url, status)
      process.exitCode = 7`
    const [status, stdout, stderr] = await sandbox('--api-key', 'own', '--', ...node(program))
    const [url = '', ...answer] = stdout.trim().split(' ')
    expect([status, answer, stderr]).toEqual([7, ['201'], ''])
    await expect(fetch(url)).rejects.toThrow()
  })

  it('tells it the secret of its webhook', async () => {
    const program = 'console.log(process.env.PAYMENTS_WEBHOOK_SECRET.length > 0)'
    const args = ['--webhooks', 'http://localhost:3000/', '--', ...node(program)]
    expect(await sandbox(...args)).toEqual([0, 'true\n', ''])
  })

  it('says that a program is not found, and that one ended by a signal', async () => {
    expect(await sandbox('--', 'no-such-program')).toEqual([
      2,
      '',
      "payments-rx: cannot start 'no-such-program': program not found\n",
    ])
    expect(await sandbox('--', ...node("process.kill(process.pid, 'SIGTERM')"))).toEqual([
      143,
      '',
      '',
    ])
  })

  it('passes SIGTERM on, and waits for its end', async () => {
    const program = `
      process.on('SIGTERM', () => { console.log('cleaned up'); process.exit(3) })
      setInterval(() => {}, 1_000)
      console.log('ready')`
    const args = [await builtCommand(), 'sandbox', '--', ...node(program)]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      if (text === 'ready\n') child.kill('SIGTERM')
    })
    expect([await once(child, 'close'), text]).toEqual([[3, null], 'ready\ncleaned up\n'])
  })
})
