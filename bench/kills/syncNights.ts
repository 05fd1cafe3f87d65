/**
 * Nights of a sync on the command line, which is killed (SIGKILL) repeatedly. Charges arrive and change between the nights, the
 * destination holds the whole state, and at the end it is compared with the service, row by row. The sandbox and the
 * destination are passed in, because tests and benchmarks run this with code of their own.
 */
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

// model

/** A row as it is at the service or at the destination. */
export interface StoredCharge {
  readonly id: string
  /** Decimal text without trailing zeros. */
  readonly amount: string
  readonly currency: string
  readonly status: string
  /** Time in ms since 1970. */
  readonly updated: number
}

/** A service in this process. Its time stands still during a night. */
export interface Service {
  readonly url: string
  /** Number of requests so far. */
  readonly requests: () => number
  /** Lets a day pass. */
  readonly nextNight: () => void
}

export interface Nights {
  readonly service: Service
  /** The arguments of node: the command and its own arguments. */
  readonly args: ReadonlyArray<string>
  /** Reads all rows of the destination. */
  readonly read: () => Promise<ReadonlyArray<StoredCharge>>
  readonly nights: number
  /** Number of kills per night. */
  readonly kills: number
  /** Maximum number of requests before a run is killed. */
  readonly most: number
  /** Returns a number from 0 up to 1. */
  readonly random: () => number
  /** Options of node's child processes, for example another host. */
  readonly command?: ReadonlyArray<string>
  /** Variables in addition to those of this process. */
  readonly env?: Readonly<Record<string, string>>
}

export interface NightsOutcome {
  readonly kills: number
  /** Number of nights after which the destination equalled the service. */
  readonly exact: number
  /** Other faults. */
  readonly wrong: ReadonlyArray<string>
  readonly rows: number
}

// running

export interface Ended {
  readonly status: number | null
  readonly signal: string | null
  readonly stderr: string
}

/** Starts the command. `onRequests` is called after the given number of requests. */
export const begin = (
  {
    service,
    args,
    command = [process.execPath],
    env = {},
  }: Pick<Nights, 'service' | 'args' | 'command' | 'env'>,
  after?: number,
  onRequests?: (pid: number) => void,
): { readonly pid: number; readonly ended: Promise<Ended> } => {
  const [program = process.execPath, ...prefix] = command
  const child = spawn(program, [...prefix, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...env },
  })
  const started = service.requests()
  const watching =
    after === undefined
      ? undefined
      : setInterval(() => {
          if (service.requests() - started < after) return
          clearInterval(watching)
          onRequests?.(child.pid ?? 0)
        }, 1)
  let stderr = ''
  child.stderr.on('data', (text) => {
    stderr += text
  })
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status, signal) => {
      clearInterval(watching)
      resolve({ status, signal, stderr })
    })
  })
  return { pid: child.pid ?? 0, ended }
}

/**
 * Starts the command, and starts it again while an earlier run blocks it. The last step of a run that was killed or frozen may
 * still be on its way to the destination, which then looks like a live run.
 */
export const beginOnceFree = async (...given: Parameters<typeof begin>): Promise<Ended> => {
  const end = await begin(...given).ended
  return /another run is writing there/.test(end.stderr) ? beginOnceFree(...given) : end
}

/** Runs the nights. The last run of each night is not disturbed. Rejects if that run does not end with status 0. */
export const syncNights = async (given: Nights): Promise<NightsOutcome> => {
  const { service, nights, most, random } = given
  const wrong: Array<string> = []
  let kills = 0
  let exact = 0
  let rows = 0
  for (let night = 1; night <= nights; night++) {
    for (let killed = 0; killed < given.kills; ) {
      const delay = random() * 60
      const { signal, status, stderr } = await beginOnceFree(
        given,
        1 + Math.floor(random() * most),
        (pid) => {
          setTimeout(() => kill(pid), delay)
        },
      )
      if (signal === 'SIGKILL') killed++
      else if (status !== 0) throw new Error(`night ${night}: status ${status}: ${stderr}`)
      else break // it ended before it could be killed
    }
    kills += given.kills
    const { status, stderr } = await beginOnceFree(given)
    if (status !== 0) throw new Error(`night ${night}: status ${status}: ${stderr}`)
    const found = await given.read()
    const differences = differ(await chargesOf(service.url), found)
    if (differences.length === 0) exact++
    wrong.push(...differences.slice(0, 3).map((difference) => `night ${night}: ${difference}`))
    rows = found.length
    service.nextNight()
  }
  return { kills, exact, wrong, rows }
}

/** Kills a process unless it has already ended. */
export const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // it has already ended
  }
}

/** A run that is frozen (SIGSTOP) for some time, during which a second one takes over. */
export const freeze = async (
  nights: Pick<Nights, 'service' | 'args' | 'command'>,
  after: number,
  ms: number,
): Promise<{ readonly frozen: Ended; readonly second: Ended }> => {
  let stop = (): void => {}
  const stopped = new Promise<void>((resolve) => {
    stop = resolve
  })
  const first = begin(nights, after, (pid) => {
    process.kill(pid, 'SIGSTOP')
    stop()
  })
  const { pid } = first
  await Promise.race([stopped, first.ended])
  const [second] = await Promise.all([beginOnceFree(nights), sleep(ms)])
  try {
    process.kill(pid, 'SIGCONT')
  } catch {
    // it ended before it could be frozen
  }
  return { frozen: await first.ended, second }
}

// expected rows

/** Reads all charges of a service, page by page, without the library. */
export const chargesOf = async (url: string): Promise<ReadonlyArray<StoredCharge>> => {
  const login = await stubborn(`${url}/api/v1/authentication/login`, {
    method: 'POST',
    headers: { 'x-client-id': 'sandbox', 'x-api-key': 'sandbox-key' },
  })
  const headers = { authorization: `Bearer ${login.token}` }
  const all: Array<StoredCharge> = []
  for (let page = 0, more = true; more; page++) {
    const query = `page_num=${page}&page_size=2000`
    const { items, has_more } = await stubborn(`${url}/api/v1/charges?${query}`, { headers })
    for (const { id, amount, currency, status, updated_at } of items) {
      const updated = Date.parse(updated_at.replace(/\+0000$/, 'Z'))
      all.push({ id, amount: String(amount), currency, status, updated })
    }
    more = has_more
  }
  return all
}

/** Repeats a request until it gets a response, because the service has faults. */
const stubborn = async (url: string, init: RequestInit) => {
  for (;;) {
    try {
      const answer = await fetch(url, init)
      if (answer.ok) return await answer.json()
      await answer.body?.cancel()
    } catch {
      // repeated
    }
    await sleep(20)
  }
}

/** Returns the differences: ids that are missing, duplicated or unknown, rows in an older version, and sums by currency. */
export const differ = (
  expected: ReadonlyArray<StoredCharge>,
  found: ReadonlyArray<StoredCharge>,
): ReadonlyArray<string> => {
  const rows = new Map(found.map((row) => [row.id, row]))
  const doubled = found.length - rows.size
  const same = (a: StoredCharge, b: StoredCharge | undefined): boolean =>
    b !== undefined && JSON.stringify(a) === JSON.stringify(b)
  const differing = expected
    .filter((row) => !same(row, rows.get(row.id)))
    .map((row) => `${JSON.stringify(row)} is ${JSON.stringify(rows.get(row.id))}`)
  const [right, is] = [sums(expected), sums(found)]
  return [
    ...(doubled === 0 ? [] : [`${doubled} rows are doubled`]),
    ...(rows.size === expected.length ? [] : [`${rows.size} ids in place of ${expected.length}`]),
    ...(right === is ? [] : [`the sums are ${is} in place of ${right}`]),
    ...differing,
  ]
}

/** Sums by currency, in hundredths. */
const sums = (rows: ReadonlyArray<StoredCharge>): string => {
  const all = new Map<string, bigint>()
  for (const { amount, currency } of rows) {
    const [whole = '0', fraction = ''] = amount.split('.')
    const cents = BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0'))
    all.set(currency, (all.get(currency) ?? 0n) + cents)
  }
  return [...all].sort().join(' ')
}
