/**
 * Nights of a sync on the command line, which is killed (SIGKILL) again and again: charges come and change between the
 * nights, all that is known of them stands at the destination, and in the end it is compared with the service, row by
 * row. Takes the sandbox and the destination from outside: tests and benchmarks run it on code of their own.
 */
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

// model

/** A row as the service or the destination has it. */
export interface StoredCharge {
  readonly id: string
  /** Decimal text without zeros at its end. */
  readonly amount: string
  readonly currency: string
  readonly status: string
  /** In ms since 1970. */
  readonly updated: number
}

/** A service that is served in this process; its time stands still during a night. */
export interface Service {
  readonly url: string
  /** Requests so far. */
  readonly requests: () => number
  /** Lets a day pass. */
  readonly nextNight: () => void
}

export interface Nights {
  readonly service: Service
  /** The arguments of node: the command, and all that it is told. */
  readonly args: ReadonlyArray<string>
  /** All rows of the destination. */
  readonly read: () => Promise<ReadonlyArray<StoredCharge>>
  readonly nights: number
  /** How often it is killed in a night. */
  readonly kills: number
  /** Requests that a run may live to send, at most. */
  readonly most: number
  /** From 0 up to 1. */
  readonly random: () => number
  /** The options of node's child processes, such as another host. */
  readonly command?: ReadonlyArray<string>
  /** Variables beside those of this process. */
  readonly env?: Readonly<Record<string, string>>
}

export interface NightsOutcome {
  readonly kills: number
  /** Nights after which the destination was the same as the service. */
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

/** Starts the command; `onRequests` is called once that many requests have come. */
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
 * Starts the command, and again while a run before is in its way: the last step of one that was killed or frozen may still be
 * on its way to the destination, which then looks like a run that lives.
 */
export const beginOnceFree = async (...given: Parameters<typeof begin>): Promise<Ended> => {
  const end = await begin(...given).ended
  return /another run is writing there/.test(end.stderr) ? beginOnceFree(...given) : end
}

/** Runs the nights; the last run of each is let be. Rejects if that does not end with status 0. */
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
      else break // it was faster than its end
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

/** Kills a process, unless it has ended. */
export const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // it has ended
  }
}

/** A run that is frozen (SIGSTOP) for a time, in which a second one takes over. */
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
    // it had ended before it could be frozen
  }
  return { frozen: await first.ended, second }
}

// what is right

/** All charges of a service, read page by page by hand. */
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

/** Asks until it is answered: the service has faults. */
const stubborn = async (url: string, init: RequestInit) => {
  for (;;) {
    try {
      const answer = await fetch(url, init)
      if (answer.ok) return await answer.json()
      await answer.body?.cancel()
    } catch {
      // asked again
    }
    await sleep(20)
  }
}

/** Differences: ids that are missing, doubled or strange, rows of an older version, sums of a currency. */
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

/** By currency, in hundredths. */
const sums = (rows: ReadonlyArray<StoredCharge>): string => {
  const all = new Map<string, bigint>()
  for (const { amount, currency } of rows) {
    const [whole = '0', fraction = ''] = amount.split('.')
    const cents = BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0'))
    all.set(currency, (all.get(currency) ?? 0n) + cents)
  }
  return [...all].sort().join(' ')
}
