/** Where text goes: a file, or a stream such as stdout. It answers when it may be given more. */
import { once } from 'node:events'
import { type FileHandle, open } from 'node:fs/promises'
import type { Writable } from 'node:stream'

// model

export interface Output {
  readonly write: (text: string) => Promise<void>
  /** May be called again. */
  readonly close: () => Promise<void>
}

/** The part of a file system that an export needs. */
export interface OutputFiles {
  readonly open: (path: string, flags: 'w') => Promise<Pick<FileHandle, 'write' | 'close'>>
}

// constructors

/** A new file, or an empty one in place of what was there. */
export const fileOutput = async (path: string, files: OutputFiles = { open }): Promise<Output> => {
  const file = await files.open(path, 'w')
  let closing: Promise<void> | undefined
  return {
    // as text: a buffer for each page would live until the next full collection
    write: async (text) => {
      const { bytesWritten } = await file.write(text)
      if (bytesWritten === Buffer.byteLength(text)) return
      let rest = Buffer.from(text).subarray(bytesWritten)
      while (rest.length > 0) rest = rest.subarray((await file.write(rest)).bytesWritten)
    },
    close: () => {
      closing ??= file.close()
      return closing
    },
  }
}

/** Opened by the first text that is written: a file for what may not happen. */
export const onDemand = (make: () => Promise<Output>): Output => {
  let made: Promise<Output> | undefined
  return {
    write: async (text) => {
      made ??= make()
      await (await made).write(text)
    },
    close: async () => {
      const output = await made?.catch(() => undefined) // whoever wrote was told
      await output?.close()
    },
  }
}

/** A stream that somebody else opened and will close. */
export const streamOutput = (stream: Writable): Output => ({
  write: async (text) => {
    if (stream.errored !== null) throw stream.errored
    if (stream.write(text)) return
    await once(stream, 'drain') // rejects when the stream fails
  },
  close: () => Promise.resolve(),
})
