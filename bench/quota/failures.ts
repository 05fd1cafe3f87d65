/** Four processes on loopback while Redis fails, and while processes start and end. */
import { type Redis, startRedis } from '../services/redis.ts'
import { type Arrival, type Group, inAll, pass, type Server, startGroups } from './cell.ts'

/** Duration of each failure. */
const FAILS_FOR = 8
const WARM_UP = 6
const WATCHED = 12

/** Each function starts a failure. The returned function ends it, and resolves with the Redis to stop at the end. */
const causes: Readonly<Record<string, (group: Group) => () => Promise<Pick<Redis, 'stop'>>>> = {
  'Redis frozen': ({ redis }) => {
    redis.signal('SIGSTOP')
    return async () => {
      redis.signal('SIGCONT')
      return redis
    }
  },
  'Redis killed, back empty': ({ redis }) => {
    redis.signal('SIGKILL')
    return () => startRedis(redis.port)
  },
  'Redis slow by 200 ms': ({ redis, workers }) => {
    for (const child of workers.values()) child.send('slow')
    return async () => {
      for (const child of workers.values()) child.send('fast')
      return redis
    }
  },
}

/**
 * Returns the lowest share of the quota, in percent, that was admitted over the length of one window. It is computed from the
 * limit and the longest time that this number of consecutive arrivals took. Requests come in bursts, so clock seconds would
 * differ even if the rate is even.
 */
const worst = (letIn: ReadonlyArray<Arrival>, limit: number): number => {
  let longest = 0
  for (let i = limit; i < letIn.length; i++) {
    longest = Math.max(longest, (letIn[i]?.[0] ?? 0) - (letIn[i - limit]?.[0] ?? 0))
  }
  return 100_000 / longest
}

export const failures = async (server: Server): Promise<ReadonlyArray<object>> => {
  const rows: Array<object> = []
  const add = (row: object): void => {
    console.log(JSON.stringify(row))
    rows.push(row)
  }
  for (const endpoints of [1, 8]) {
    const setting = { network: 'loopback', endpoints }
    const limit = inAll(setting)
    for (const [name, fail] of Object.entries(causes)) {
      const what = `${name}, ${endpoints} endpoints`
      const groups = await startGroups(server, setting, [
        ['alone', 1],
        ['payments-rx', 4],
      ])
      await pass(WARM_UP, what)
      const [alone, group] = groups
      if (alone === undefined || group === undefined) throw new Error('not started')
      const { now: from } = await group.arrivals()
      const end = fail(group)
      await pass(FAILS_FOR, `${what}, failing`)
      const back = await end()
      await pass(WATCHED, `${what}, back`)
      const seen = async (one: Group) =>
        (await one.arrivals()).arrivals.filter(([at]) => at >= from)
      const letIn = (all: ReadonlyArray<Arrival>) => all.filter(([, , isLetIn]) => isLetIn)
      const [all, reference] = [await seen(group), await seen(alone)]
      add({
        case: what,
        'worst second, %': Number(worst(letIn(all), limit).toFixed(1)),
        'of one alone': Number(worst(letIn(reference), limit).toFixed(1)),
        'used, % of one alone': Number(
          ((100 * letIn(all).length) / letIn(reference).length).toFixed(1),
        ),
        'refused, %': Number((100 * (1 - letIn(all).length / all.length)).toFixed(2)),
      })
      for (const one of groups) one.stop()
      back.stop()
    }
  }
  add(await joiner(server))
  add(await killed(server))
  return rows
}

const SHARED = { network: 'loopback', endpoints: 1 }

/** Time from a fourth process's first look at the limits until it has nine tenths of its share in a window. */
const joiner = async (server: Server): Promise<object> => {
  const [group] = await startGroups(server, SHARED, [['payments-rx', 3]])
  if (group === undefined) throw new Error('not started')
  const times: Array<number> = []
  for (let n = 0; n < 5; n++) {
    await pass(WARM_UP, 'a process joins')
    const name = await group.start()
    const child = group.workers.get(name)
    const { now: from } = await group.arrivals()
    await pass(5, 'a process has joined')
    const own = (await group.arrivals()).arrivals.filter(
      ([, by, isLetIn]) => by === name && isLetIn,
    )
    const share = Math.ceil(0.9 * (inAll(SHARED) / 4))
    const at = own.findIndex(([time], i) => time - (own[i - share + 1]?.[0] ?? 0) <= 1_000)
    times.push((own[at]?.[0] ?? Number.POSITIVE_INFINITY) - from)
    child?.disconnect()
    group.workers.delete(name)
    await pass(14, 'a process was killed')
  }
  group.stop()
  return { case: 'a process joins three: has its share, ms', each: times.map(Math.round) }
}

/** Time until others use the share of a killed process. */
const killed = async (server: Server): Promise<object> => {
  const [group] = await startGroups(server, SHARED, [['payments-rx', 4]])
  if (group === undefined) throw new Error('not started')
  const limit = inAll(SHARED)
  const times: Array<number> = []
  await pass(WARM_UP, 'a process is killed')
  for (let n = 0; n < 2; n++) {
    const [name, child] = [...group.workers][0] ?? []
    const { now: from } = await group.arrivals()
    child?.kill('SIGKILL')
    if (name !== undefined) group.workers.delete(name)
    await pass(20, 'a process was killed')
    const letIn = (await group.arrivals()).arrivals.filter(([at, , ok]) => ok && at > from + 2_000)
    const windows = 4 // a window may admit more than the limit that is left, because requests come in bursts
    const most = Math.floor(0.95 * limit * windows)
    const full = letIn.find(
      ([at], i) => (letIn[i + most]?.[0] ?? Number.POSITIVE_INFINITY) - at <= 1_000 * windows,
    )
    times.push((full?.[0] ?? Number.POSITIVE_INFINITY) - from)
  }
  group.stop()
  return { case: 'a process is killed: its share is used, ms', each: times.map(Math.round) }
}
