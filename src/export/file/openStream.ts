import { finished, type Writable } from 'node:stream'
import { checkOptions, is, type OptionsTable, required } from '../../options/index.js'
import { checkRows } from '../column/UnrepresentableRow.js'
import type { Format } from '../format/Format.js'
import * as rule from '../rules.js'
import type { WriteRows } from '../source/exportList.js'
import type { Bytes } from '../storage/Files.js'
import { untilFailure } from './untilFailure.js'

/** The stream, and how rows are written to it. */
export interface StreamOptions<A> {
  /** A Node `Writable` or a web `WritableStream`. */
  readonly stream: Writable | WritableStream<Uint8Array<ArrayBuffer>>
  /** How rows are written. */
  readonly format: Format<A>
  /** True to end the stream on `finish`. Default `true`; stdout is never ended. */
  readonly close?: boolean | undefined
}

/** A stream of rows; it cannot be resumed. */
export interface RowStream<in A> {
  /** Resolves once the stream has accepted the rows. Rejects with the stream's error or an `UnrepresentableRow`. */
  readonly write: WriteRows<A>
  /** Writes the end of the format, such as a closing bracket. */
  readonly finish: () => Promise<void>
  /** Stops writing and leaves the stream open. May be called again, and after `finish`. */
  readonly abandon: () => Promise<void>
}

/** A stream of bytes, opened by the caller. */
interface ByteStream extends Bytes {
  readonly end: () => Promise<void>
  readonly release: () => void
}

const eitherKind = [is.withMethods('', 'write', 'end'), is.withMethods('', 'getWriter')]

const rules: OptionsTable<StreamOptions<never>> = {
  stream: required({
    accepts: (u) => eitherKind.some(({ accepts }) => accepts(u)),
    expected: 'a Writable or a WritableStream',
  }),
  format: required(rule.format),
  close: is.boolean,
}

/** Writes rows to an open stream: a Node `Writable` or a web `WritableStream`. Rejects with an `InvalidOption` for an invalid option. */
export const openStream = async <A>(options: StreamOptions<A>): Promise<RowStream<A>> => {
  const { stream, format, close = true } = checkOptions(options, rules)
  const bytes = 'getWriter' in stream ? ofTheWeb(stream) : ofNode(stream)
  const encoder = await format.encoder(bytes)
  const { run, end, last } = untilFailure('the stream')
  return {
    write: async (rows) => {
      checkRows(format, rows)
      await run(() => encoder.rows(rows))
    },
    finish: () =>
      end(async () => {
        await encoder.end()
        if (close) await bytes.end()
        bytes.release()
      }),
    abandon: () => last(async () => bytes.release()),
  }
}

const ofNode = (stream: Writable): ByteStream => {
  let size = 0
  let failed = false
  const ignore = (): void => {} // `append` and `end` report an error
  stream.on('error', ignore)
  /** Waits for a call's callback or for the stream's end, because a destroyed stream may never call back. */
  const settled = (call: (done: (error?: Error | null) => void) => void): Promise<void> =>
    new Promise((resolve, reject) => {
      const settle = (error?: Error | null): void => {
        stop()
        failed ||= error !== undefined && error !== null
        if (failed) reject(stream.errored ?? error)
        else resolve()
      }
      const stop = finished(stream, { readable: false }, settle)
      call(settle)
    })
  return {
    size: () => size,
    append: async (bytes) => {
      const own = new Uint8Array(bytes) // a stream may keep the bytes for any length of time
      await settled((done) => stream.write(own, done))
      size += own.length
    },
    end: () => settled((done) => stream.end(done)),
    release: () => {
      if (!failed) stream.off('error', ignore) // otherwise its error has yet to be emitted
    },
  }
}

const ofTheWeb = (stream: WritableStream<Uint8Array<ArrayBuffer>>): ByteStream => {
  const writer = stream.getWriter()
  writer.closed.catch(() => {}) // `append` and `end` report an error
  let size = 0
  return {
    size: () => size,
    append: async (bytes) => {
      await writer.ready
      const written = writer.write(new Uint8Array(bytes))
      const { ready } = writer // fails with the stream, while `written` fails only once its sink has responded
      await Promise.race([written, ready.then(() => written)])
      size += bytes.length
    },
    end: () => writer.close(),
    release: () => writer.releaseLock(),
  }
}
