import { Buffer } from 'node:buffer'
import { PassThrough, Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import {
  fileOutput,
  ndjson,
  type OutputFiles,
  onDemand,
  streamOutput,
} from '../../src/export/index.js'

/** A disk that takes `most` bytes at a time, and fails with `error` when there is one. */
const disk = (most: number, error?: Error) => {
  const calls = { content: Buffer.alloc(0), opened: 0, closed: 0 }
  const files: OutputFiles = {
    open: async () => {
      calls.opened++
      return {
        write: (async (data: string | Uint8Array) => {
          if (error !== undefined) throw error
          const taken = Buffer.from(data).subarray(0, most)
          calls.content = Buffer.concat([calls.content, taken])
          return { bytesWritten: taken.length, buffer: data }
        }) as Awaited<ReturnType<OutputFiles['open']>>['write'],
        close: async () => {
          calls.closed++
        },
      }
    },
  }
  return { files, calls }
}

describe('a file', () => {
  it.each([1, 2, 3, 7, 100])(
    'gets all of a text, whatever its letters, %i bytes at a time',
    async (most) => {
      const { files, calls } = disk(most)
      const output = await fileOutput('charges.ndjson', files)
      await output.write('Zoë pays 5 €\n')
      await output.write('')
      await output.write('again\n')
      expect(calls.content.toString()).toBe('Zoë pays 5 €\nagain\n')
    },
  )

  it('is closed once, however often that is asked', async () => {
    const { files, calls } = disk(100)
    const output = await fileOutput('x', files)
    await Promise.all([output.close(), output.close()])
    expect(calls.closed).toBe(1)
  })

  it('says why it cannot be written', async () => {
    const { files } = disk(100, Object.assign(new Error('no space left'), { code: 'ENOSPC' }))
    const output = await fileOutput('x', files)
    await expect(output.write('a')).rejects.toMatchObject({ code: 'ENOSPC' })
  })
})

describe('an output on demand', () => {
  it('is not opened before something is written', async () => {
    const { files, calls } = disk(100)
    const output = onDemand(() => fileOutput('x', files))
    await output.close()
    expect(calls.opened).toBe(0)
    await output.write('a')
    await output.write('b')
    await output.close()
    expect(calls).toMatchObject({ opened: 1, closed: 1 })
  })

  it('can be closed after it could not be opened', async () => {
    const output = onDemand(() => Promise.reject(new Error('denied')))
    await expect(output.write('a')).rejects.toThrow('denied')
    await output.close()
  })
})

describe('a stream', () => {
  it('is waited for when it is full', async () => {
    const stream = new PassThrough({ highWaterMark: 4 })
    let done = false
    const writing = streamOutput(stream)
      .write('more than four')
      .then(() => {
        done = true
      })
    await new Promise(setImmediate)
    expect(done).toBe(false)
    expect(stream.read()?.toString()).toBe('more than four')
    await writing
  })

  it('that broke fails a write, at the latest the next', async () => {
    const stream = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) })
    stream.on('error', () => {})
    const output = streamOutput(stream)
    const twice = output.write('a').then(() => output.write('b'))
    await expect(twice).rejects.toThrow('EPIPE')
  })
})

it('writes one JSON text a line', async () => {
  const { files, calls } = disk(100)
  const sink = ndjson(await fileOutput('x', files))
  await sink([{ a: 'line\nbreak', b: 1.5 }, { a: null }])
  expect(calls.content.toString()).toBe('{"a":"line\\nbreak","b":1.5}\n{"a":null}\n')
})
