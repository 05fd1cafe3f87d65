import { readFileSync } from 'node:fs'
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
    process.kill(pid, 0)
  } catch (error) {
    if (codeOf(error) !== 'EPERM') return false
  }
  return !isZombie(pid)
}

/** It was killed, and who began it has not asked how it ended: only Linux tells. */
const isZombie = (pid: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2)) // after its name, which may have a `)` of its own
  } catch {
    return false
  }
}
