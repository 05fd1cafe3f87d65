import { hostname, uptime } from 'node:os'
import process from 'node:process'
import { codeOf } from '../file/systemError.js'
import type { Runner } from './Owner.js'

/** Who runs, where nothing else is said: the process that this is called in. To be called for each run. */
export const thisProcess = (): Runner => ({
  pid: process.pid,
  host: hostname(),
  since: Math.round(performance.timeOrigin),
  booted: performance.timeOrigin - (uptime() - process.uptime()) * 1_000,
  token: crypto.randomUUID().slice(0, 8),
  isAlive,
})

/** Sends no signal: it only tells whether there is such a process, also one of somebody else. */
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}
