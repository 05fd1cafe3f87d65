import type { Writable } from 'node:stream'
import { checkOptions, is, type OptionsTable, required } from '../../options/index.js'
import { checkRows } from '../column/UnrepresentableRow.js'
import type { Sink } from '../exportList.js'
import type { Format } from '../format/Format.js'
import * as rule from '../rules.js'
import type { Bytes } from './ByteFile.js'
import { untilFailure } from './untilFailure.js'

// model

/** Which stream, and how rows are written to it. */
export interface StreamOptions<A> {
  /** A `Writable` of Node, or a `WritableStream` of the web. */
  readonly stream: Writable | WritableStream<Uint8Array<ArrayBuffer>>
  /** How rows are written: what is in the `Right` of `formatOf`. */
  readonly format: Format<A>
  /** Whether `finish` ends the stream, too. Default `true`. Not for stdout. */
  readonly close?: boolean
}

/** A stream of rows: what is written cannot be cut back. */
export interface RowStream<in A> {
  /** Answers when the stream has taken them. Rejects with the stream's own error, and an `UnrepresentableRow`. */
  readonly write: Sink<A>
  /** Writes the end of the format. */
  readonly finish: () => Promise<void>
  /** Leaves the stream as it is. May be called again, and after `finish`. */
  readonly abandon: () => Promise<void>
}

/** What takes bytes, is ended, and is left to whoever opened it. */
interface ByteStream extends Bytes {
  readonly end: () => Promise<void>
  readonly release: () => void
}

// constructors

/** A `Writable` of Node, a `WritableStream` of the web. */
const ofEither = [is.withMethods('', 'write', 'end'), is.withMethods('', 'getWriter')]

const rules: OptionsTable<StreamOptions<never>> = {
  stream: required({
    accepts: (u) => ofEither.some(({ accepts }) => accepts(u)),
    expected: 'a Writable or a WritableStream',
  }),
  format: required(rule.format),
  close: is.boolean,
}

/**
 * Rows into a stream that somebody else opened: a `Writable` of Node, or a `WritableStream` of the web. Fails
 * with an `InvalidOption` for an option that cannot work.
 */
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
  const ignore = (): void => {} // whoever writes is told
  stream.on('error', ignore)
  const done = (start: (ended: (error?: Error | null) => void) => void): Promise<void> =>
    new Promise((resolve, reject) => {
      start((error) => {
        failed ||= error instanceof Error
        return error instanceof Error ? reject(stream.errored ?? error) : resolve()
      })
    })
  return {
    size: () => size,
    append: async (bytes) => {
      const own = new Uint8Array(bytes) // a stream may keep them for as long as it likes
      await done((ended) => stream.write(own, ended))
      size += own.length
    },
    end: () => done((ended) => stream.end(ended)),
    release: () => {
      if (!failed) stream.off('error', ignore) // what was told is still to be emitted
    },
  }
}

const ofTheWeb = (stream: WritableStream<Uint8Array<ArrayBuffer>>): ByteStream => {
  const writer = stream.getWriter()
  writer.closed.catch(() => {}) // whoever writes is told
  let size = 0
  return {
    size: () => size,
    append: async (bytes) => {
      await writer.ready
      await writer.write(new Uint8Array(bytes))
      size += bytes.length
    },
    end: () => writer.close(),
    release: () => writer.releaseLock(),
  }
}
