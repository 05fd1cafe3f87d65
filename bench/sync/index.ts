/**
 * Syncs that are killed at random moments over many nights, frozen while a second one takes over, and run on other hosts.
 * Checks that each row exists once, in its newest version. Also measures their speed, and their memory compared with an export.
 *
 *     npm run bench -- sync kills KIND [KILLS] [SEED]
 *     npm run bench -- sync freezes KIND [TIMES] [SECONDS]
 *     npm run bench -- sync hosts KIND
 *     npm run bench -- sync speed KIND [ROWS]
 *
 * KIND: sqlite, postgres, a folder of ndjson or parquet, or a bucket: s3-ndjson, s3-parquet.
 */

import { createSandbox, listen } from 'payments-rx/sandbox'
import { asyncScheduler } from 'rxjs'
import { begin, chargesOf, differ, freeze, type Service, syncNights } from '../kills/syncNights.ts'
import { reportExact } from '../result.ts'
import { seeded } from '../simulated/random.ts'
import { type Destination, destinations, stopServers } from './destinations.ts'
import { measure } from './speed.ts'

const [what = '', kind = '', ...numbers] = process.argv.slice(2)
const cli = new URL('../../dist/cli/main.js', import.meta.url).pathname

const FAULTS = {
  '429': 0.01,
  '500': 0.005,
  'reset-before': 0.005,
  'cut-off': 0.005,
  'token-revoked': 0.002,
}

const DAY = 86_400_000

/** Charges arrive every three minutes, and change after a day and a half, which is later than the lookback of a day. */
const serve = async (
  charges: number,
  faults: object,
): Promise<Service & { readonly close: () => Promise<void> }> => {
  let now = Math.floor(Date.now() / 1_000) * 1_000
  const timer = Object.assign(Object.create(asyncScheduler), { now: () => now })
  const sandbox = createSandbox({
    charges,
    limits: false,
    latency: 5,
    jitter: 5,
    faults,
    arrivals: 180_000,
    settleAfter: 1.5 * DAY,
    timer,
  })
  const { url, close } = await listen(sandbox)
  return {
    url,
    close,
    requests: () => sandbox.stats().requests,
    nextNight: () => {
      now += DAY
    },
  }
}

const argsOf = (
  service: Service,
  { to, more }: Destination,
  lease: string,
): ReadonlyArray<string> => [
  ...[cli, 'sync', 'charges', to, '--base-url', service.url, '--client-id', 'sandbox'],
  ...['--api-key', 'sandbox-key', '--environment', 'test', '--no-limits', '--parallel', '4'],
  ...['--page-size', '200', '--lookback', '1d', '--lease', lease],
  ...['--progress', 'none', ...more],
]

const make = async (): Promise<Destination> => {
  const made = destinations[kind]
  if (made === undefined) throw new Error(`KIND is one of ${Object.keys(destinations).join(', ')}`)
  return made()
}

const kills = async (count = 200, seed = 1): Promise<void> => {
  const service = await serve(4_000, FAULTS)
  const destination = await make()
  const began = performance.now()
  const perNight = 10
  const outcome = await syncNights({
    service,
    args: argsOf(service, destination, '200ms'),
    read: destination.read,
    nights: Math.ceil(count / perNight),
    kills: perNight,
    most: 60,
    random: seeded(seed),
  })
  const minutes = ((performance.now() - began) / 60_000).toFixed(1)
  console.log(kind, JSON.stringify({ ...outcome, nights: Math.ceil(count / perNight), minutes }))
  const nights = Math.ceil(count / perNight)
  reportExact(`${kind}, ${count} kills`, nights - outcome.wrong.length, nights)
  if (outcome.wrong.length > 0) process.exitCode = 1
  await destination.remove()
  await service.close()
}

const freezes = async (times = 5, seconds = 20): Promise<void> => {
  for (let n = 1; n <= times; n++) {
    const service = await serve(4_000, {})
    const destination = await make()
    const nights = { service, args: argsOf(service, destination, '2s') }
    const { frozen, second } = await freeze(nights, 4 * n, seconds * 1_000)
    const differences = differ(await chargesOf(service.url), await destination.read())
    const line = frozen.stderr.trim().split('\n').at(-1)
    console.log(
      kind,
      n,
      { frozen: frozen.status, second: second.status, differences: differences.length },
      line,
    )
    const isLoud = second.status === 0 ? frozen.status === 1 : frozen.status === 0
    if (differences.length > 0 || !isLoud) process.exitCode = 1
    await destination.remove()
    await service.close()
  }
}

/**
 * Killed in one container and resumed in another, with other host names, and with other processes that have the same process
 * ids.
 */
const hosts = async (): Promise<void> => {
  const host = (name: string): ReadonlyArray<string> => [
    ...['unshare', '--uts', '--pid', '--fork', '--kill-child', '--mount-proc', 'sh', '-c'],
    `hostname ${name} && exec "$0" "$@"`,
    process.execPath,
  ]
  const service = await serve(4_000, {})
  const destination = await make()
  const args = argsOf(service, destination, '2s')
  for (const [first, second] of [
    ['one', 'two'],
    ['same', 'same'],
  ] as const) {
    const killed = begin({ service, args, command: host(first) }, 8, (pid) =>
      process.kill(pid, 'SIGKILL'),
    )
    const { signal } = await killed.ended
    const from = performance.now()
    const { status } = await begin({ service, args, command: host(second) }).ended
    const s = ((performance.now() - from) / 1_000).toFixed(1)
    const differences = differ(await chargesOf(service.url), await destination.read())
    console.log(kind, `${first} -> ${second}`, {
      signal,
      status,
      differences: differences.length,
      s,
    })
    if (differences.length > 0 || status !== 0) process.exitCode = 1
    service.nextNight()
  }
  // two live runs, of which one must end with a message
  const [one, two] = await Promise.all(
    ['one', 'two'].map((name) => begin({ service, args, command: host(name) }).ended),
  )
  console.log(kind, 'two at once', one?.status, two?.status, two?.stderr.trim().split('\n').at(-1))
  await destination.remove()
  await service.close()
}

const given = numbers.map(Number)
switch (what) {
  case 'kills':
    await kills(...given)
    break
  case 'freezes':
    await freezes(...given)
    break
  case 'hosts':
    await hosts()
    break
  case 'speed':
    await measure(cli, kind, await make(), ...given)
    break
  default:
    console.error('usage: npm run bench -- sync kills | freezes | hosts | speed KIND')
    process.exitCode = 2
}
await stopServers()
