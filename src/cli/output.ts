/** Words on stdout: whether they came there is known when all is said. */
import type { Writable } from 'node:stream'
import { codeOf } from '../export/file/systemError.js'

// model

export interface Printer {
  readonly write: (text: string) => unknown
}

export interface Printing extends Printer {
  /** The first failure, once all is written. None where it is that nobody reads any more. */
  readonly failure: () => Promise<Error | undefined>
}

// constructors

export const printing = (stdout: Writable): Printing => {
  let failed: Error | undefined
  let written: Promise<unknown> = Promise.resolve()
  return {
    write: (text) => {
      const one = new Promise<void>((resolve) => {
        stdout.write(text, (error) => {
          failed ??= error ?? undefined
          resolve()
        })
      })
      written = Promise.all([written, one])
    },
    failure: async () => {
      await written
      return codeOf(failed) === 'EPIPE' ? undefined : failed
    },
  }
}
