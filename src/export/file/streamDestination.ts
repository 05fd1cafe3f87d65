/** Streams and functions: what they took cannot be taken back, so nothing is kept and nothing resumed. */
import type { Writable } from 'node:stream'
import { withoutUndefined } from '../../fp.js'
import type { Format } from '../format/Format.js'
import type { TakeRows } from '../source/exportList.js'
import type { Destination, KeyLog } from '../transfer/Destination.js'
import { openStream, type RowStream } from './openStream.js'

/** Keys are told apart within the run. */
const NO_LOG: KeyLog = { add: async () => {}, read: async () => {} }

const nothing = async (): Promise<void> => {}

/** Which stream, and how rows are written to it. */
export interface StreamDestinationOptions<A> {
  readonly name: string
  /** Opens the stream when there is something to write to it. */
  readonly open: () => Writable | WritableStream<Uint8Array<ArrayBuffer>>
  readonly format: Format<A>
  readonly endStream: boolean | undefined
}

/** Writes rows into a stream. The end of the format is written however the list ends, unless the stream fails. */
export const streamDestination = <A>({
  name,
  open,
  format,
  endStream,
}: StreamDestinationOptions<A>): Destination<A> => {
  let rows: RowStream<A> | undefined
  let isOver = false
  const end = async () => {
    if (!isOver) await rows?.finish()
    isOver = true
    return {}
  }
  return {
    name,
    commitEvery: 0,
    check: format.check,
    resume: async () => {
      rows = await openStream({ stream: open(), format, ...withoutUndefined({ close: endStream }) })
    },
    write: async (page) => {
      await rows?.write(page)
    },
    reject: nothing,
    commit: async (why) => (why === 'stop' ? end() : {}),
    finish: end,
    keys: NO_LOG,
    close: async () => rows?.abandon(),
  }
}

/** Gives rows to a function. */
export const functionDestination = <A>(take: TakeRows<A>): Destination<A> => ({
  name: 'the function',
  commitEvery: 0,
  check: () => undefined,
  resume: nothing,
  write: async (rows) => {
    await take(rows)
  },
  reject: nothing,
  commit: async () => ({}),
  finish: async () => ({}),
  keys: NO_LOG,
  close: nothing,
})
