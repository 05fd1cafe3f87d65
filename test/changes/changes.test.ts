/** `payments.charges.changes()`: what is told when, what is asked for it, and what is kept. In virtual time. */
import {
  timer as after,
  firstValueFrom,
  map,
  type Observable,
  Subject,
  Subscription,
  take,
  tap,
} from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E } from '../../src/fp.js'
import type { ChangeEvent, Charge } from '../../src/index.js'
import type { WebhookEvent } from '../../src/webhooks/index.js'
import { memoryStore } from '../store/memoryStore.js'
import { Account, type Clock, clientOf, clock, iso, type ServiceOptions, START } from './play.js'

/** An account with some open charges, and some final ones of before. */
const world = ({
  open = 3,
  final = 5,
  ...service
}: Partial<ServiceOptions> & { open?: number; final?: number } = {}) => {
  const time = clock()
  const account = new Account()
  for (let i = 0; i < final; i++) account.add(START - 86_400 + i, 'SETTLED', START - 86_400)
  for (let i = 0; i < open; i++) account.add(START - 80_000 + i * 10, 'PENDING', START - 80_000)
  const { client, asked } = clientOf({ clock: time, account, ...service })
  const now = (): number => time.seconds()
  return {
    ...time,
    account,
    client,
    asked,
    add: (status = 'NEW') => account.add(now(), status, now()),
    set: (id: string, status: string) => account.set(id, { status }, now()),
  }
}

/** Says what an event tells, in one line. */
const told = (event: ChangeEvent<Charge>): string =>
  E.isLeft(event)
    ? event.left._tag
    : `${event.right.kind} ${event.right.value.id} ${event.right.value.status}`

/** Subscribes, and collects what the events tell. */
const toldBy = (changes: Observable<ChangeEvent<Charge>>): Array<string> => {
  const events: Array<string> = []
  changes.subscribe((event) => events.push(told(event)))
  return events
}

const idOf = (event: ChangeEvent<Charge>): string => (E.isRight(event) ? event.right.value.id : '')

const EVERY = 10

describe('changes of charges', () => {
  it('begin with the open ones, and go on with what comes and changes', async () => {
    const { client, pass, add, set, asked } = world({ open: 2 })
    const events: Array<string> = []
    const changes = client.charges.changes()
    expect(asked).toHaveLength(0)
    const following = changes.subscribe((event) => events.push(told(event)))
    await pass(EVERY / 2)
    expect(events).toEqual(['added chg_00000005 PENDING', 'added chg_00000006 PENDING'])
    events.length = 0
    const id = add()
    set('chg_00000005', 'SETTLED')
    await pass(EVERY)
    expect(events).toEqual([`added ${id} NEW`, 'changed chg_00000005 SETTLED'])
    events.length = 0
    set(id, 'FAILED')
    await pass(EVERY)
    expect(events).toEqual([`changed ${id} FAILED`])
    following.unsubscribe()
    const { length } = asked
    await pass(10 * EVERY)
    expect(asked).toHaveLength(length)
  })

  it('take at most five requests per poll where little happens', async () => {
    const { client, pass, asked } = world()
    client.charges.changes().subscribe()
    await pass(EVERY / 2)
    asked.length = 0
    await pass(20 * EVERY)
    expect(asked.length).toBeLessThanOrEqual(20 * 5)
  })

  it('begin with `since`, where it is given', async () => {
    const { client, pass } = world({ open: 1 })
    const events = toldBy(client.charges.changes({ since: iso(START - 86_400 + 3) }))
    await pass(EVERY / 2)
    expect(events).toEqual([
      'added chg_00000003 SETTLED',
      'added chg_00000004 SETTLED',
      'added chg_00000005 PENDING',
    ])
  })

  it.each([
    [{ since: 'yesterday' }, 'changes: since should be a Date or an ISO 8601 time'],
    [{ every: 0 }, 'changes: every should be a finite number above 0'],
    [{ store: {} }, 'changes: store should be a store'],
    [{ evry: 1 }, 'changes: evry should be omitted'],
    [{ initial: 'quiet' }, "changes: initial should be one of 'emit', 'silent'"],
  ])('take no %j', (options, message) => {
    const { client } = world()
    expect(() => client.charges.changes(options as object)).toThrow(message)
  })

  it('tell an outage as a Left, and go on from there', async () => {
    let isDown = false
    const { client, pass, add } = world({ open: 0, before: () => (isDown ? 500 : undefined) })
    const events = toldBy(client.charges.changes())
    await pass(EVERY)
    isDown = true
    await pass(2 * EVERY)
    isDown = false
    const id = add()
    await pass(2 * EVERY)
    expect(events).toEqual(['ServerFault', 'ServerFault', `added ${id} NEW`])
  })

  it('have positions that count, and that another stream can begin with', async () => {
    const { client, pass, add } = world({ open: 1 })
    const positions: Array<unknown> = []
    client.charges.changes().subscribe((event) => {
      if (E.isRight(event)) positions.push(event.right.position)
    })
    await pass(EVERY + 1)
    add()
    await pass(EVERY)
    add()
    await pass(EVERY)
    expect(positions).toEqual([
      { emitted: 0, upTo: iso(START) },
      { emitted: 1, upTo: iso(START) },
      { emitted: 2, upTo: iso(START + EVERY + 1) },
    ])
  })

  it('tell a charge of a status that is new, and what becomes of it', async () => {
    for (const foreign of ['accepted', 'refused'] as const) {
      const { client, pass, add, set } = world({ open: 0, foreign })
      const events: Array<string> = []
      client.charges.changes().subscribe((event) => events.push(told(event)))
      await pass(EVERY)
      const id = add('ON_HOLD')
      await pass(30 * EVERY)
      set(id, 'SETTLED')
      await pass(EVERY)
      expect(events).toEqual([`added ${id} ON_HOLD`, `changed ${id} SETTLED`])
    }
  })

  it('tell a row that does not decode once', async () => {
    const { client, pass, account, add } = world({ open: 0 })
    const events = toldBy(client.charges.changes())
    await pass(EVERY)
    const id = add()
    const entry = account.entries.get(id)
    if (entry !== undefined)
      account.entries.set(id, { ...entry, amount: 'much' as unknown as number })
    await pass(5 * EVERY)
    expect(events).toEqual(['Undecodable'])
  })

  it('read charges that have left together where they are close in time', async () => {
    const { client, pass, set, asked } = world({ open: 100 })
    client.charges.changes().subscribe()
    await pass(EVERY / 2)
    asked.length = 0
    for (let i = 5; i < 105; i++) set(`chg_${String(i).padStart(8, '0')}`, 'SETTLED')
    await pass(EVERY)
    expect(asked.length).toBeLessThanOrEqual(6)
  })

  it('find a charge that comes late to the list within ten polls', async () => {
    const { client, pass, account, seconds } = world({ open: 0 })
    const events = toldBy(client.charges.changes())
    await pass(5 * EVERY)
    const id = account.add(seconds() - 1_800, 'SETTLED', seconds())
    await pass(10 * EVERY)
    expect(events).toEqual([`added ${id} SETTLED`])
  })

  it('hold back a second request while a slow consumer works, and at most a page of rows', async () => {
    const { client, pass, asked, add, timer } = world({ open: 0 })
    let worked = 0
    client.charges
      .changes()
      .drain((event) =>
        after(5_000, timer).pipe(
          map(() => idOf(event)),
          tap(() => worked++),
        ),
      )
      .subscribe()
    await pass(EVERY)
    for (let i = 0; i < 20; i++) add()
    await pass(EVERY)
    const { length } = asked
    await pass(80)
    expect(asked).toHaveLength(length)
    expect(worked).toBeGreaterThan(10)
    await pass(60)
    expect(worked).toBe(20)
  })
})

describe('changes that begin in silence', () => {
  const silent = { initial: 'silent' } as const

  it('tell no charge that was open, and then its changes, and what comes', async () => {
    const { client, pass, add, set } = world({ open: 3 })
    const events = toldBy(client.charges.changes(silent))
    await pass(3 * EVERY)
    expect(events).toEqual([])
    const id = add()
    set('chg_00000006', 'SETTLED')
    await pass(EVERY)
    set('chg_00000007', 'SUSPENDED')
    await pass(EVERY)
    expect(events).toEqual([
      `added ${id} NEW`,
      'changed chg_00000006 SETTLED',
      'changed chg_00000007 SUSPENDED',
    ])
  })

  it('tell what was created since `since`, open or not', async () => {
    const { client, pass } = world({ open: 2 })
    const events = toldBy(client.charges.changes({ ...silent, since: iso(START - 80_000 + 5) }))
    await pass(2 * EVERY)
    expect(events).toEqual(['added chg_00000006 PENDING'])
  })

  it('tell a change that happens between two requests of the first poll', async () => {
    let isFirst = true
    const { client, pass, set } = world({
      open: 1,
      before: (url) => {
        if (url.searchParams.get('status') === 'SUSPENDED' && isFirst) {
          isFirst = false
          set('chg_00000005', 'FAILED')
        }
        return undefined
      },
    })
    const events = toldBy(client.charges.changes(silent))
    await pass(2 * EVERY)
    expect(events).toEqual(['changed chg_00000005 FAILED'])
  })

  it('stay silent about the start where an outage or a restart cut the first poll', async () => {
    const store = memoryStore()
    let isDown = true
    const { client, pass, set } = world({
      open: 3,
      before: (url) => (isDown && url.searchParams.has('status') ? 500 : undefined),
    })
    const events: Array<string> = []
    const first = client.charges
      .changes({ ...silent, store })
      .subscribe((event) => events.push(told(event)))
    await pass(2 * EVERY)
    first.unsubscribe()
    isDown = false
    await pass(EVERY)
    client.charges.changes({ store }).subscribe((event) => events.push(told(event)))
    await pass(2 * EVERY)
    expect(new Set(events)).toEqual(new Set(['ServerFault']))
    events.length = 0
    set('chg_00000005', 'SETTLED')
    await pass(EVERY)
    expect(events).toEqual(['changed chg_00000005 SETTLED'])
  })

  it('are as others where the store has a state', async () => {
    const store = memoryStore()
    const { client, pass } = world({ open: 3 })
    const events = toldBy(client.charges.changes({ store }).pipe(take(1)))
    await pass(EVERY)
    client.charges.changes({ ...silent, store }).subscribe((event) => events.push(told(event)))
    await pass(2 * EVERY)
    expect(events).toEqual([5, 6, 7].map((n) => `added chg_0000000${n} PENDING`))
  })
})

describe('changes with a store', () => {
  const following = (time: Clock, source: AsyncIterator<ChangeEvent<Charge>>) => ({
    next: async () => {
      const { value } = await time.run(source.next())
      return value === undefined ? 'end' : told(value)
    },
    end: () => time.run(Promise.resolve(source.return?.())),
  })

  it('go on where the subscriber before has stopped', async () => {
    const store = memoryStore()
    const { client, pass, set, ...time } = world({ open: 3 })
    const events = toldBy(client.charges.changes({ store }).pipe(take(2)))
    await pass(EVERY)
    set('chg_00000006', 'SETTLED')
    client.charges.changes({ store }).subscribe((event) => events.push(told(event)))
    await pass(3 * EVERY)
    expect(events).toEqual([
      'added chg_00000005 PENDING',
      'added chg_00000006 PENDING',
      'added chg_00000007 PENDING',
      'changed chg_00000006 SETTLED',
    ])
    expect(time.seconds()).toBeGreaterThan(START)
  })

  it('tell again what an iterator did not acknowledge by asking for the next', async () => {
    const store = memoryStore()
    const time = world({ open: 3 })
    const open = () =>
      following(time, time.client.charges.changes({ store })[Symbol.asyncIterator]())
    const first = open()
    expect(await first.next()).toBe('added chg_00000005 PENDING')
    expect(await first.next()).toBe('added chg_00000006 PENDING')
    await first.end()
    expect(await first.next()).toBe('end')
    const second = open()
    expect(await second.next()).toBe('added chg_00000006 PENDING')
    await second.end()
  })

  it('are of one stream at a time: the other ends as locked', async () => {
    const store = memoryStore()
    const { client, pass } = world({ open: 0 })
    client.charges.changes({ store }).subscribe()
    await pass(EVERY)
    const events: Array<string> = []
    let isOver = false
    client.charges.changes({ store }).subscribe({
      next: (event) => events.push(told(event)),
      complete: () => {
        isOver = true
      },
    })
    await pass(60)
    expect([events, isOver]).toEqual([['Locked'], true])
  })

  it('end with a last Left when another stream has taken over', async () => {
    const store = memoryStore()
    let isFrozen = false
    const thawed = new Subject<void>()
    const frozen: typeof store = {
      ...store,
      replace: async (...given) => {
        if (isFrozen) await firstValueFrom(thawed)
        return store.replace(...given)
      },
    }
    const { client, pass, add } = world({ open: 0 })
    const events: Array<string> = []
    const others: Array<string> = []
    let isOver = false
    client.charges.changes({ store: frozen }).subscribe({
      next: (event) => events.push(told(event)),
      complete: () => {
        isOver = true
      },
    })
    await pass(EVERY)
    isFrozen = true
    client.charges.changes({ store }).subscribe((event) => others.push(told(event)))
    await pass(60)
    isFrozen = false
    thawed.next()
    const id = add()
    await pass(60)
    expect(others).toEqual([`added ${id} NEW`])
    expect(events.filter((event) => event !== `added ${id} NEW`)).toEqual(['Fenced'])
    expect(isOver).toBe(true)
  })

  it('keep at most 50 bytes for an open charge, and 20 for one of the lookback', async () => {
    const texts: Array<string> = []
    const store = memoryStore((text) => texts.push(text ?? ''))
    const many = world({ open: 0 })
    const { account, client, pass, seconds } = many
    for (let i = 0; i < 1_000; i++) {
      account.add(START - 1_000_000 + i * 900, 'PENDING', START - 900_000)
    }
    for (const [id, entry] of [...account.entries]) {
      if (entry.status === 'SETTLED') continue
      const long = `${id.slice(4)}-7f3a-4b6e-9c1d-2a8b7c6d5e4f`.slice(0, 36)
      account.entries.delete(id)
      account.entries.set(long, { ...entry, id: long })
      account.order[account.order.indexOf(id)] = long
    }
    const following = new Subscription()
    following.add(client.charges.changes({ store }).subscribe())
    await pass(EVERY)
    const open = texts.at(-1)?.length ?? 0
    expect(open).toBeGreaterThan(36_000)
    expect(open).toBeLessThanOrEqual(50 * 1_000)
    for (let i = 0; i < 1_000; i++) account.add(seconds() - i, 'SETTLED', seconds())
    await pass(10 * EVERY)
    const all = texts.at(-1)?.length ?? 0
    expect(all - open).toBeLessThanOrEqual(20 * 1_000)
    expect(all - open).toBeGreaterThan(14_000)
    following.unsubscribe()
  })
})

describe('deliveries as hints', () => {
  const delivery = (id: string): E.Either<never, WebhookEvent> =>
    E.right({ id: 'evt_1', name: 'charge.settled', data: { id }, raw: {} })

  it('have a charge read sooner, once', async () => {
    const { client, pass, set, asked } = world({ open: 1 })
    const events = new Subject<E.Either<never, WebhookEvent>>()
    const heard = toldBy(client.charges.changes({ every: 600_000, events }))
    await pass(EVERY)
    asked.length = 0
    set('chg_00000005', 'SETTLED')
    events.next(delivery('chg_00000005'))
    events.next(delivery('chg_00000005'))
    await pass(1)
    expect(heard.at(-1)).toBe('changed chg_00000005 SETTLED')
    expect(asked.length).toBeLessThanOrEqual(2)
    await pass(1_200)
    expect(heard).toHaveLength(2)
  })

  it('are read one after the other where they come while another is read', async () => {
    const { client, pass, set } = world({ open: 3, takes: () => 2 })
    const events = new Subject<E.Either<never, WebhookEvent>>()
    const heard = toldBy(client.charges.changes({ every: 600_000, events }))
    await pass(30)
    heard.length = 0
    for (const id of ['chg_00000005', 'chg_00000006', 'chg_00000007']) {
      set(id, 'SETTLED')
      events.next(delivery(id))
      await pass(0.5)
    }
    await pass(10)
    expect(heard).toEqual([
      'changed chg_00000005 SETTLED',
      'changed chg_00000006 SETTLED',
      'changed chg_00000007 SETTLED',
    ])
  })

  it('do not keep a poll waiting, however many there are', async () => {
    const { client, pass, set, asked } = world({ open: 3, takes: () => 1 })
    const events = new Subject<E.Either<never, WebhookEvent>>()
    client.charges.changes({ every: 20_000, events }).subscribe()
    await pass(10)
    asked.length = 0
    set('chg_00000007', 'SETTLED')
    for (let i = 0; i < 100; i++) events.next(delivery(`forged_${i}`))
    await pass(20)
    expect(asked.filter((url) => url.searchParams.get('status') === 'PENDING')).toHaveLength(1)
  })

  it('change nothing where they are forged, late, or of charges long final', async () => {
    const { client, pass } = world({ open: 0 })
    const events = new Subject<E.Either<unknown, WebhookEvent>>()
    const heard = toldBy(client.charges.changes({ events }))
    await pass(EVERY)
    events.next(delivery('forged'))
    events.next(delivery('chg_00000001'))
    events.next(E.left('not believed'))
    await pass(3 * EVERY)
    expect(heard).toEqual([])
  })
})
