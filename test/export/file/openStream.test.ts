import { PassThrough, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import zlib from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { openStream } from '../../../src/export/index.js'
import { format, rowOf } from '../rows.js'

const how = format({ format: 'csv', columns: ['id'] })
const a = rowOf({ id: 'a' })
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A stream that takes a chunk when it is told to. */
const slow = () => {
  const taken: Array<string> = []
  let take: (() => void) | undefined
  return {
    taken,
    take: () => take?.(),
    stream: new Writable({
      write: (chunk, _encoding, done) => {
        taken.push(String(chunk))
        take = () => done()
      },
    }),
  }
}

describe('rows into a stream of Node', () => {
  it('wait until it has taken them', async () => {
    const { stream, take, taken } = slow()
    const { write } = await openStream({ stream, format: how })
    let done = 0
    const writing = [1, 2].map(async () => {
      await write([a])
      done++
    })
    await tick()
    expect({ done, taken }).toEqual({ done: 0, taken: ['id\r\n'] })
    take()
    await tick()
    expect({ done, taken }).toEqual({ done: 0, taken: ['id\r\n', 'a\r\n'] })
    take()
    await tick()
    expect({ done, taken }).toEqual({ done: 1, taken: ['id\r\n', 'a\r\n', 'a\r\n'] })
    take()
    await Promise.all(writing)
  })

  it('end it, unless it is to stay open', async () => {
    const stream = new PassThrough()
    const open = await openStream({ stream, format: how, close: false })
    await open.write([a])
    await open.finish()
    expect(stream.writable).toBe(true)
    const closing = await openStream({ stream, format: how })
    await closing.write([a])
    await closing.finish()
    expect(stream.writableFinished).toBe(true)
    expect(stream.listenerCount('error')).toBe(0)
    expect(await text(stream)).toBe('id\r\na\r\nid\r\na\r\n')
  })

  it('are refused after its end', async () => {
    const stream = new PassThrough()
    const { write, finish } = await openStream({ stream, format: how, close: false })
    await finish()
    await expect(write([a])).rejects.toThrow('the stream: nothing more can be written after finish')
  })

  it('keep what was handed on as it was, however long the stream holds it', async () => {
    const stream = new PassThrough({ highWaterMark: 1e6 })
    const { write, finish } = await openStream({ stream, format: how })
    for (const id of ['a', 'b', 'c']) await write([rowOf({ id })])
    await finish()
    expect(await text(stream)).toBe('id\r\na\r\nb\r\nc\r\n')
  })

  it('fail with its error, now and later, and nobody else is told', async () => {
    const broken = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })
    const stream = new Writable({ write: (_chunk, _encoding, done) => done(broken) })
    const to = await openStream({ stream, format: how })
    await expect(to.write([a])).rejects.toBe(broken)
    await to.abandon()
    await expect(to.write([a])).rejects.toBe(broken)
    await tick()
  })

  it.each([
    ['its error', new Error('the store refused a part'), 'the store refused a part'],
    ['a premature close', undefined, 'Premature close'],
  ])('fail with %s when it is destroyed while it is full', async (_, error, message) => {
    const stream = new PassThrough({ highWaterMark: 1 }) // that is not read
    const { write, finish, abandon } = await openStream({ stream, format: how })
    const writing = write([a])
    await tick()
    stream.destroy(error)
    await expect(writing).rejects.toThrow(message)
    await expect(finish()).rejects.toThrow(message)
    await abandon()
  })

  it('fail when it is destroyed while it is ended', async () => {
    const { stream } = slow()
    const { write, finish } = await openStream({ stream, format: how })
    const ending = [write([a]), finish()]
    await tick()
    stream.destroy()
    for (const one of ending) await expect(one).rejects.toThrow('Premature close')
  })

  it('may be Parquet, or compressed', async () => {
    const stream = new PassThrough()
    const all = stream.toArray()
    const { write, finish } = await openStream({
      stream,
      format: format({ format: 'ndjson', columns: ['id'], compress: 'gzip' }),
    })
    await write([a])
    await finish()
    expect(zlib.gunzipSync(Buffer.concat(await all)).toString()).toBe('{"id":"a"}\n')
  })
})

describe('rows into a stream of the web', () => {
  it('wait until it has taken them, and end it', async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const { write, finish, abandon } = await openStream({ stream: writable, format: how })
    let done = false
    const writing = write([a]).then(() => {
      done = true
    })
    await tick()
    expect(done).toBe(false)
    const all = new Response(readable).text()
    await writing
    await finish()
    await abandon()
    expect(await all).toBe('id\r\na\r\n')
  })

  it('fail with its error', async () => {
    const broken = new Error('gone')
    const stream = new WritableStream<Uint8Array>({ write: () => Promise.reject(broken) })
    const { write, abandon } = await openStream({ stream, format: how })
    await expect(write([a])).rejects.toBe(broken)
    await abandon()
    expect(stream.locked).toBe(false)
  })

  it('fail when it fails while it is full', async () => {
    let fail: (error: Error) => void = () => {}
    const stream = new WritableStream<Uint8Array>({
      start: (controller) => {
        fail = (error) => controller.error(error)
      },
      write: () => new Promise(() => {}), // a sink that never answers
    })
    const { write } = await openStream({ stream, format: how })
    const writing = write([a])
    await tick()
    fail(new Error('the store refused a part'))
    await expect(writing).rejects.toThrow('the store refused a part')
  })
})
