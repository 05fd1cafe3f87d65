/** At most one owner changes what a lease guards, whatever happens to owners between any two steps. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isExportError } from '../../src/export/ExportError.js'
import { diskStore } from '../../src/store/diskStore.js'
import { takeLease } from '../../src/store/lease.js'
import type { Store } from '../../src/store/Store.js'
import { type Memory, memory } from '../export/transfer/memory.js'
import { runs } from '../support/runs.js'
import { memoryStore } from './memoryStore.js'
import { type Process, pass, processOf, settled } from './world.js'

const LENGTH = 15_000
const NAME = 'checkpoint.json'

/** A text of the lease, as it stood for a while; undefined while there was none. */
interface Seen {
  readonly owner?: string
  readonly fence: number
  readonly renewals: number
  readonly state?: number
}

/** Results of commits, as owners saw them. */
interface Told {
  readonly owner: string
  readonly state: number
  readonly outcome: 'committed' | 'Fenced'
}

interface World {
  readonly storeFor: (process: Process) => Store
  readonly history: ReadonlyArray<Seen | undefined>
}

/** All operations on the store are one step each. */
const atomic = (): World => {
  const history: Array<Seen | undefined> = []
  const store = memoryStore((text) => history.push(text === undefined ? text : JSON.parse(text)))
  return { storeFor: ({ gated }) => gated(store), history }
}

/** All operations on the files of a folder are one step each. */
const onDisk = (): World => {
  const history: Array<Seen | undefined> = []
  const files = memory()
  const rename: Memory['rename'] = async (from, to) => {
    await files.rename(from, to)
    const text = files.text(to)
    history.push(text === '' ? undefined : JSON.parse(text))
  }
  /** The one step that takes a text from a later owner: see "How it was tried" in docs/internals/lease.md. */
  const rm: Memory['rm'] = async (path, options) => {
    const isText = path.endsWith(`/${NAME}`) && files.names().includes(path)
    if (isText && files.text(path) !== '') history.push(undefined)
    return files.rm(path, options)
  }
  const watched: Memory = { ...files, rename, rm }
  files.mkdir('/exports', { recursive: true })
  return {
    storeFor: ({ gated }) => diskStore({ folder: '/exports', files: gated(watched) }),
    history,
  }
}

/** Commits one number after the other, and releases the lease after `commits`. */
const own = async (
  owner: string,
  store: Store,
  { timer }: Process,
  commits: number,
  told: Array<Told>,
): Promise<void> => {
  const lease = await takeLease({ store, name: NAME, path: NAME, length: LENGTH, timer, owner })
  for (let n = 0; n < commits; n++) {
    const state = Number(lease.state ?? 0) + 1
    await lease.commit(state).then(
      () => told.push({ owner, state, outcome: 'committed' }),
      (error: unknown) => {
        if (isExportError(error) && error._tag === 'Fenced') {
          told.push({ owner, state, outcome: 'Fenced' })
        }
        throw error
      },
    )
  }
  await lease.release()
}

const event = fc.record({
  does: fc.oneof(
    { weight: 8, arbitrary: fc.constant('step') },
    { weight: 3, arbitrary: fc.constant('wait') },
    { weight: 3, arbitrary: fc.constantFrom('freeze', 'thaw', 'kill', 'start') },
  ),
  who: fc.nat(2),
  n: fc.nat(25),
})

const walk = async (process: Process, steps: number): Promise<void> => {
  for (let step = 0; step < steps; step++) {
    process.step()
    await settled()
  }
}

interface Event {
  readonly does: string
  readonly who: number
  readonly n: number
}

const play = async (
  { storeFor, history }: World,
  rates: ReadonlyArray<number>,
  events: ReadonlyArray<Event>,
) => {
  const told: Array<Told> = []
  const ended: Array<unknown> = []
  let now = 0
  let owners = 0
  const start = (commits: number): Process => {
    const process = processOf()
    pass(process, now)
    const name = `owner-${owners++}`
    own(name, storeFor(process), process, commits, told).then(
      () => ended.push(undefined),
      (error: unknown) => ended.push(isExportError(error) ? error._tag : error),
    )
    return process
  }
  const processes = rates.map(() => start(5))
  const time = (): void => {
    processes.forEach((process, i) => {
      pass(process, now * (rates[i] ?? 1))
    })
  }
  for (const { does, who, n } of events) {
    const process = processes[who]
    if (process === undefined) continue
    if (does === 'freeze') process.isFrozen = true
    if (does === 'thaw') process.isFrozen = false
    if (does === 'kill' || does === 'start') {
      process.isFrozen = true // for ever: another one has its place
      processes[who] = start(n % 6)
    }
    if (does === 'step') await walk(process, n)
    for (let seconds = 0; does === 'wait' && seconds < n; seconds++) {
      now += 1_000
      time()
      await walk(process, 8)
    }
  }
  // in the end, all but one are gone, and that one gets the lease
  for (const process of processes) process.isFrozen = true
  const last = start(1)
  const before = told.length
  for (let turn = 0; turn < 300 && told.length === before; turn++) {
    now += 100
    pass(last, now)
    await walk(last, 10)
  }
  return { told, ended, history, last: told.slice(before) }
}

it.each([
  ['a store with steps of its own', atomic],
  ['a folder', onDisk],
])('only the last owner changes %s', async (_, make) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.double({ min: 0.8, max: 1.25, noNaN: true }), { minLength: 2, maxLength: 3 }),
      fc.array(event, { maxLength: 40 }),
      async (rates, events) => {
        const { told, ended, history, last } = await play(make(), rates, events)

        history.reduce((before, after) => {
          if (after === undefined) return after
          if (after.owner === before?.owner || after.owner === undefined) {
            expect(after.fence).toBe(before?.fence)
            expect([before?.state, (before?.state ?? 0) + 1]).toContain(after.state)
          } else {
            expect(after.fence).toBe((before?.fence ?? 0) + 1)
            expect(after.state).toBe(before?.state)
          }
          return after
        }, undefined)

        for (const { owner, state, outcome } of told) {
          const isThere = history.some((seen) => seen?.owner === owner && seen.state === state)
          expect({ owner, state, isThere }).toEqual({
            owner,
            state,
            isThere: outcome === 'committed',
          })
        }
        expect(
          ended.filter((why) => !['Locked', 'Fenced', undefined].includes(why as string)),
        ).toEqual([])
        expect(last.map(({ outcome }) => outcome)).toEqual(['committed'])
      },
    ),
    { numRuns: runs(200) },
  )
})
