/**
 * A process that shares an account. Keeps 40 requests waiting at each endpoint until its parent disconnects. Answers `count`
 * with the number of commands that it has sent to Redis. `slow` delays all commands, and `fast` ends that.
 *
 *     node worker.ts KIND PORT ACCOUNT ENDPOINTS REDIS_PORT NAME
 */
import { Agent, request } from 'node:http'
import { type Kind, limiters } from './limiters.ts'

const [kind, port, account, endpoints, redisPort, name] = process.argv.slice(2)
const WAITING = 40
const SLOW_MS = 200

let [commands, delay] = [0, 0]
process.on('message', (message) => {
  if (message === 'count') process.send?.({ commands })
  else delay = message === 'slow' ? SLOW_MS : 0
})
process.once('disconnect', () => process.exit())

const limiter = await limiters[kind as Kind]({
  redisPort: Number(redisPort),
  onCommand: () => commands++,
  delay: () => delay,
})

const agent = new Agent({ keepAlive: true })
const get = (endpoint: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const path = `/${account}/${endpoint}?worker=${name}`
    const sent = request({ port, path, agent }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
    sent.once('error', reject).end()
  })

const again = async (endpoint: string): Promise<void> => {
  for (;;) {
    try {
      await limiter(endpoint, () => get(endpoint))
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
process.send?.('begun')
for (let n = 0; n < Number(endpoints); n++) for (let i = 0; i < WAITING; i++) void again(`e${n}`)
