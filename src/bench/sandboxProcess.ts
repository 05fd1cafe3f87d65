/** A separate process for the sandbox and its judge, so that the resources that they use are not counted as the client's. */
import process from 'node:process'
import { servableSandbox } from '../sandbox/createSandbox.js'
import { randomNumbers } from '../sandbox/data/hash.js'
import { listen } from '../sandbox/index.js'
import { steadyTimer } from '../stream/steadyTimer.js'
import { ArrivalCounter, judged } from './judge.js'
import type { SandboxSettings } from './processes.js'

const serve = async ({ latency, jitter, ...options }: SandboxSettings): Promise<void> => {
  const timer = steadyTimer()
  const counter = new ArrivalCounter()
  const network = { latency, jitter, random: randomNumbers(1), timer }
  const { url } = await listen(judged(servableSandbox(options), counter, network))
  process.on('message', (ms: number | 'all') =>
    process.send?.(counter.count(ms === 'all' ? undefined : ms)),
  )
  process.send?.({ url })
}

process.once('message', (settings: SandboxSettings) => void serve(settings))
process.once('disconnect', () => process.exit())
process.on('SIGINT', () => {}) // signal of the terminal; the parent stops this process
