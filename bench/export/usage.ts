/** Loaded first into a process that is measured. Prints the resources used when the process ends. */
import { writeSync } from 'node:fs'

process.once('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage()
  const usage = {
    cpu: (userCPUTime + systemCPUTime) / 1e6,
    rss: maxRSS / 1024,
    ms: performance.now(),
  }
  writeSync(3, JSON.stringify(usage))
})
