/** Streams and functions as destinations. Rows cannot be withdrawn, so no state is saved and nothing can be resumed. */
import type { Writable } from 'node:stream'
import { withoutUndefined } from '../../fp.js'
import type { Format } from '../format/Format.js'
import type { WriteRows } from '../source/exportList.js'
import type { Destination, KeyLog } from '../transfer/Destination.js'
import { openStream, type RowStream } from './openStream.js'

/** Keys are compared within the run only. */
const NO_LOG: KeyLog = { add: async () => {}, read: async () => {} }

const nothing = async (): Promise<void> => {}

export interface StreamDestinationOptions<A> {
  readonly name: string
  /** Opens the stream once there is something to write. */
  readonly open: () => Writable | WritableStream<Uint8Array<ArrayBuffer>>
  readonly format: Format<A>
  readonly endStream: boolean | undefined
}

/** Writes rows to a stream. Always writes the end of the format, however the list ends, unless the stream fails. */
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
    rows: 'appended',
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

export const functionDestination = <A>(take: WriteRows<A>): Destination<A> => ({
  name: 'the function',
  commitEvery: 0,
  rows: 'appended',
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
