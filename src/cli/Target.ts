/** Where an export goes, and what cannot be decoded of it. Nothing is touched before the first page. */
import { rm } from 'node:fs/promises'
import { fileOutput, type Output, onDemand, streamOutput } from '../export/index.js'
import type { Terminal } from './Terminal.js'

export interface Target {
  readonly name: string
  readonly rows: Output
  readonly rejects: Output
  readonly rejectsName: string
}

export const target = ({ stdout, stderr }: Terminal, out: string): Target =>
  out === '-'
    ? {
        name: 'stdout',
        rows: streamOutput(stdout),
        rejects: streamOutput(stderr),
        rejectsName: 'stderr',
      }
    : {
        name: out,
        rows: onDemand(async () => {
          await rm(rejectsOf(out), { force: true }) // of an earlier run
          return fileOutput(out)
        }),
        rejects: onDemand(() => fileOutput(rejectsOf(out))),
        rejectsName: rejectsOf(out),
      }

const rejectsOf = (out: string): string => `${out}.rejects.ndjson`
