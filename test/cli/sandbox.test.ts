import { Server } from 'node:net'
import { Writable } from 'node:stream'
import { Subject } from 'rxjs'
import { expect, it, vi } from 'vitest'
import { cli, type Run } from './support.js'

it('prints its address, answers, and stops at a signal', async () => {
  const signals = new Subject<'SIGTERM'>()
  let url = ''
  const stdout = new Writable({
    write: (chunk, _encoding, done) => {
      url = String(chunk).replace(/^listening on (http:\/\/127\.0\.0\.1:\d+)\n$/, '$1')
      done()
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
        const url = String(chunk).replace(/^listening on (\S+)\n$/, '$1')
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
  ['EACCES', 'port 80 is not for everybody (EACCES): choose one from 1024 on'],
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

it('reports that its port is taken', async () => {
  const signals = new Subject<'SIGINT'>()
  const stdout = new Writable({
    write: (chunk, _encoding, done) => {
      done()
      const port = /:(\d+)\n/.exec(String(chunk))?.[1] ?? ''
      void cli(['sandbox', '--port', port]).then((second) => {
        expect(second.stderr).toMatch(
          /^payments-rx: port \d+ is taken: choose another, or 0 for a free one\n$/,
        )
        expect(second.status).toBe(1)
        signals.next('SIGINT')
      })
    },
  })
  await cli(['sandbox'], { stdout, signals })
  expect.assertions(2)
})
