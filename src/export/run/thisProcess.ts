import { readFileSync } from 'node:fs'
import { hostname, uptime } from 'node:os'
import process from 'node:process'
import { codeOf } from '../file/FileSystem.js'
import type { Runner } from './lock.js'

/** Describes the process that this is called in. To be called for each run. */
export const thisProcess = (): Runner => ({
  pid: process.pid,
  host: hostname(),
  since: Math.round(performance.timeOrigin),
  booted: performance.timeOrigin - (uptime() - process.uptime()) * 1_000,
  token: crypto.randomUUID().slice(0, 8),
  isAlive,
})

/** Whether there is such a process, also one of another user. No signal is sent. */
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (codeOf(error) !== 'EPERM') return false
  }
  return !isZombie(pid)
}

/** Zombie: exited, not yet reaped by its parent. Only Linux tells. */
const isZombie = (pid: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2)) // after its name, which may have a `)` of its own
  } catch {
    return false
  }
}
