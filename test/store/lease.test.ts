import { firstValueFrom, of, type SchedulerLike, Subject } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { diskStore } from '../../src/store/diskStore.js'
import { type LeaseOptions, type LeaseWait, takeLease } from '../../src/store/lease.js'
import { type Memory, memory } from '../export/transfer/memory.js'
import { memoryStore } from './memoryStore.js'
import { pass, processOf, settled } from './world.js'

const PATH = 'out.csv.checkpoint.json'
const LENGTH = 15_000

/** A store, and owners of a lease in it, each with its own clock. */
const world = () => {
  const store = memoryStore()
  const processes = [processOf(), processOf(), processOf()]
  const optionsOf = (who: number): LeaseOptions & { readonly timer: SchedulerLike } => ({
    store,
    name: PATH,
    path: PATH,
    length: LENGTH,
    timer: processes[who]?.timer ?? processOf().timer,
  })
  /** Time passes for all of these; the others are frozen. */
  const wait = async (ms: number, ...who: ReadonlyArray<number>): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 1_000) {
      for (const one of who) {
        const process = processes[one]
        if (process !== undefined) pass(process, process.timer.frame + 1_000)
      }
      await settled()
    }
  }
  const text = async () => JSON.parse((await store.read(PATH))?.text ?? 'null')
  return {
    store,
    take: (who: number, more = {}) => takeLease({ ...optionsOf(who), ...more }),
    wait,
    text,
  }
}

describe('a lease', () => {
  it('is gone when it is released without a state', async () => {
    const { take, text } = world()
    const lease = await take(0)
    expect(await text()).toMatchObject({ version: 5, fence: 1, length: LENGTH, renewals: 0 })
    await lease.release()
    await lease.release()
    expect(await text()).toBeNull()
  })

  it('leaves its state to the next owner', async () => {
    const { take, text } = world()
    const first = await take(0)
    await first.commit({ rows: 1 })
    await first.release()
    expect(await text()).not.toHaveProperty('owner')
    const second = await take(1)
    expect(second.state).toEqual({ rows: 1 })
    expect([second.fence, second.tookOver]).toEqual([2, false])
  })

  it('that is renewed is respected after a look at it', async () => {
    const { take, wait } = world()
    await take(0)
    const waits: Array<LeaseWait> = []
    const second = take(1, { onWait: (one: LeaseWait) => waits.push(one) })
    const refused = expect(second).rejects.toMatchObject({ _tag: 'Locked', path: PATH })
    await wait(6_000, 0, 1)
    await refused
    expect(waits).toEqual([{ path: PATH, ms: LENGTH }])
  })

  it('that is not renewed is taken over, and the earlier owner is shut out', async () => {
    const { take, wait, text } = world()
    const first = await take(0)
    await first.commit('of the first')
    const second = take(1)
    await wait(LENGTH + 1_000, 1)
    const { fence, tookOver, state } = await second
    expect({ fence, tookOver, state }).toEqual({ fence: 2, tookOver: true, state: 'of the first' })
    const before = await text()
    await expect(first.commit('too late')).rejects.toMatchObject({ _tag: 'Fenced', path: PATH })
    await first.release()
    expect(await text()).toEqual(before)
  })

  it('tells a frozen owner that it is lost by its next renewal', async () => {
    const { take, wait } = world()
    const first = await take(0)
    const second = take(1)
    await wait(LENGTH + 1_000, 1)
    await second
    const lost = expect(firstValueFrom(first.lost)).rejects.toMatchObject({ _tag: 'Fenced' })
    await wait(LENGTH, 0)
    await lost
  })

  it('that is released while another run waits goes to that one', async () => {
    const { take, wait } = world()
    const first = await take(0)
    await first.commit(7)
    const second = take(1)
    await wait(2_000, 0, 1)
    await first.release()
    await wait(2_000, 1)
    expect(await second).toMatchObject({ tookOver: false, state: 7 })
  })

  it('goes to one of those who wait for it', async () => {
    const { take, wait } = world()
    await take(0)
    const both = Promise.allSettled([take(1), take(2)])
    await wait(LENGTH + 1_000, 1, 2)
    expect((await both).map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('is not waited for by a run that is told to stop', async () => {
    const { take } = world()
    await take(0)
    await expect(take(1, { stop: of('SIGTERM') })).rejects.toMatchObject({ _tag: 'Locked' })
    const stop = new Subject<void>()
    const second = take(1, { stop })
    await settled()
    stop.next()
    await expect(second).rejects.toMatchObject({ _tag: 'Locked' })
  })

  it('stays with an owner whose change was made, but failed or was rolled back', async () => {
    const { store, take, text } = world()
    const lease = await take(0)
    await lease.commit('kept')
    const rolledBack = { ...store, replace: async () => 'a version that is not kept' }
    await lease.commit('rolled back', rolledBack)
    await lease.renew()
    expect(await text()).toMatchObject({ fence: 1, state: 'kept' })
    await lease.commit('next')
    expect(await text()).toMatchObject({ fence: 1, state: 'next' })
  })

  it.each([
    ['{', 'Damaged', 'is not a checkpoint: it should be JSON'],
    [
      '{"version":3,"purpose":{}}',
      'Damaged',
      'has version 3, but this release of payments-rx resumes only version 5',
    ],
    [
      '{"version":6}',
      'NewerVersion',
      'has version 6, but this release of payments-rx knows version 5: use the release that wrote it',
    ],
    ['{"version":5,"fence":1,"renewals":0,"sum":"0"}', 'Damaged', 'it was changed or damaged'],
  ])('is not taken where there is %j', async (found, _tag, why) => {
    const { store, take } = world()
    await store.replace(PATH, found, undefined)
    const error = await take(0).catch((error: Error) => error)
    expect(error).toMatchObject({ _tag, path: PATH })
    expect(String(error)).toContain(why)
  })
})

it('is lost to a run that was frozen while it removed its own, as if a later run had taken over', async () => {
  const files = memory()
  await files.mkdir('/exports', { recursive: true })
  const thawed = new Subject<void>()
  const frozen = new Subject<void>()
  const rm: Memory['rm'] = async (path, options) => {
    if (path === `/exports/${PATH}`) {
      frozen.next()
      await firstValueFrom(thawed)
    }
    await files.rm(path, options)
  }
  const take = (fs: Memory) =>
    takeLease({
      store: diskStore({ folder: '/exports', files: fs }),
      ...{ name: PATH, path: PATH, timer: processOf().timer },
    })
  const first = await take({ ...files, rm })
  const standing = firstValueFrom(frozen)
  const released = first.release()
  await standing
  const second = await take(files)
  thawed.next()
  await released
  await expect(second.commit({ rows: 1 })).rejects.toMatchObject({ _tag: 'Fenced' })
  expect(files.names()).toEqual([])
})
