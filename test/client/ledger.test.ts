/**
 * Each write is done once, and what its caller is told agrees with the books: whatever faults come in place of answers,
 * before or after it was done, however far lists are behind, killed or run by two processes at once.
 */
import fc from 'fast-check'
import { from, ignoreElements, last, map, merge, type Observable } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E } from '../../src/fp.js'
import type { Client, Failure } from '../../src/index.js'
import { item } from '../support/batch.js'
import { inTurn } from '../support/inTurn.js'
import { NEW_CHARGE } from '../support/lab.js'
import {
  type Fault,
  faults,
  type Ledger,
  type LedgerOptions,
  ledger,
  unsent,
} from '../support/ledger.js'
import { runs } from '../support/runs.js'

type Told = E.Either<Failure, unknown>

interface Write {
  readonly write: (client: Client) => Observable<Told>
  /** How much of it was done: 1 for all of it. */
  readonly done: (books: Ledger) => number
  readonly options?: Partial<LedgerOptions>
  /** An earlier run is repeated by it. */
  readonly repeats?: true
  /** Repeats an earlier run of `write`, which does not by itself. */
  readonly again?: (client: Client) => Observable<Told>
  /** It is several calls, of which some may fail. */
  readonly isStream?: true
}

const charge = { ...NEW_CHARGE, request_id: 'invoice-1' }
const batch = { request_id: 'wages-1', name: 'January' }
const items = Array.from({ length: 120 }, (_, n) => item(n))
const [hundred, _rest] = [items.slice(0, 100), items.slice(100)]

const addAll = ({ batchTransfers }: Client): Observable<Told> =>
  from(items).pipe(
    batchTransfers.addAllItems({ id: 'bat_1' }),
    last(),
    map(({ outcome }) => outcome),
  )

const addHundred = ({ batchTransfers }: Client): Observable<Told> =>
  batchTransfers.addItems({ id: 'bat_1', items: hundred })

const writes: Readonly<Record<string, Write>> = {
  'a charge': {
    write: ({ charges }) => charges.create(charge),
    done: ({ charges }) => charges.size,
    again: ({ charges }) => charges.createOnce(charge),
  },
  'a charge with a generated request_id': {
    write: ({ charges }) => charges.create(NEW_CHARGE),
    done: ({ charges }) => charges.size,
  },
  'a charge by createOnce': {
    write: ({ charges }) => charges.createOnce(charge),
    done: ({ charges }) => charges.size,
    repeats: true,
  },
  'a batch': {
    write: ({ batchTransfers }) => batchTransfers.create(batch),
    done: ({ batches }) => batches.size,
    again: ({ batchTransfers }) => batchTransfers.createOnce(batch),
  },
  'a batch by createOnce': {
    write: ({ batchTransfers }) => batchTransfers.createOnce(batch),
    done: ({ batches }) => batches.size,
    repeats: true,
  },
  'items that are ignored when they come again': {
    write: addHundred,
    done: ({ items }) => items.size / hundred.length,
    repeats: true,
  },
  'items that are refused when they come again': {
    write: addHundred,
    done: ({ items }) => items.size / hundred.length,
    options: { repeatedItems: 'refused' },
    repeats: true,
  },
  'a stream of items that are ignored when they come again': {
    write: addAll,
    done: (books) => books.items.size / items.length,
    repeats: true,
    isStream: true,
  },
  'a stream of items that are refused when they come again': {
    write: addAll,
    done: (books) => books.items.size / items.length,
    options: { repeatedItems: 'refused' },
    repeats: true,
    isStream: true,
  },
}

const PRIORITIES = ['interactive', 'bulk'] as const

/** How far lists are behind, in ms: the last one for longer than is looked. */
const LAGS = [0, 3_000, 20_000]

/** Random plays of each property. */
const RUNS = runs(6)

/** A list that is no further behind has caught up when it is looked up for the last time. */
const IN_TIME = 14_000

const isDefinite = (told: Told): boolean => E.isLeft(told) && told.left._tag !== 'Ambiguous'

/** Holds what was told against the books. */
const audit = (told: Told | undefined, done: number, isStream = false): void => {
  if (told === undefined) throw new Error('nothing was told')
  expect(done).toBeLessThanOrEqual(1)
  if (E.isRight(told)) expect(done).toBe(1)
  if (isDefinite(told)) expect(done).toBeLessThan(isStream ? 1 : Number.MIN_VALUE)
}

const singles: ReadonlyArray<Fault> = [
  ...Object.keys(faults).flatMap(
    (name): ReadonlyArray<Fault> => [
      { name, when: 'before' },
      { name, when: 'after' },
    ],
  ),
  ...Object.keys(unsent).map((name): Fault => ({ name, when: 'before' })),
]

/** A refusal in the service's own words, after it has done the write: only a duplicate that follows can tell. */
const isLie = ({ name, when }: Fault): boolean =>
  when === 'after' && name.endsWith(' of the service')

/** Each run is killed after a time, and the next one begins after a pause. */
const kills = fc.array(fc.tuple(fc.nat(6_000), fc.nat(6_000)), { minLength: 1, maxLength: 4 })

describe.each(Object.entries(writes))('%s', (_, { write, done, options, repeats, isStream }) => {
  describe.each(LAGS)('with lists %i ms behind', (lag) => {
    const test = inTurn(LAGS, lag)
    test.each(singles.map((fault) => [`${fault.name} ${fault.when} it is done`, fault] as const))(
      'is told right after %s',
      (_, fault) => {
        const books = ledger({ ...options, lag, faults: [fault] })
        const [told] = books.run(write(books.client()))
        audit(told, done(books), isStream)
        if (lag <= IN_TIME) expect(told?._tag).toBe('Right')
      },
    )

    test('is told right after any faults, one after the other', () => {
      fc.assert(
        fc.property(
          fc.array(fc.constantFrom(...singles.filter((fault) => !isLie(fault))), { maxLength: 8 }),
          (several) => {
            const books = ledger({ ...options, lag, faults: several })
            const [told] = books.run(write(books.client({ retry: { throttled: 1 } })))
            audit(told, done(books), isStream)
          },
        ),
        { numRuns: RUNS },
      )
    })

    if (repeats !== true) return

    test.each([1, 12, 25, 1_500])('is done once when killed after %i ms, and run again', (ms) => {
      for (const pause of [0, 1_000, 30_000]) {
        const books = ledger({ ...options, lag, faults: [{ name: 'a reset', when: 'after' }] })
        const killed = write(books.client()).subscribe()
        books.pass(ms)
        killed.unsubscribe()
        books.pass(pause)
        const isShown = pause > lag && done(books) > 0
        const [told] = books.run(write(books.client()))
        audit(told, done(books), isStream)
        if (lag <= IN_TIME || isShown) expect(told?._tag).toBe('Right')
      }
    })

    test('is done once, and told right, by two processes at once', () => {
      const books = ledger({ ...options, lag })
      const told: Array<Told> = []
      for (const client of [books.client(), books.client()]) {
        write(client).subscribe((outcome) => told.push(outcome))
      }
      books.pass(Number.POSITIVE_INFINITY)
      expect(told).toHaveLength(2)
      for (const one of told) {
        audit(one, done(books), isStream)
        if (lag <= IN_TIME) expect(one._tag).toBe('Right')
      }
    })
  })
})

describe.each(Object.entries(writes).filter(([, { repeats, again }]) => repeats ?? again))(
  '%s, with lists 0 to 3 s behind',
  (_, { write, done, options, isStream, again = write }) => {
    it('is done once, and told right, however often it is killed and run again', () => {
      fc.assert(
        fc.property(
          kills,
          fc.array(fc.constantFrom(...singles.filter((fault) => !isLie(fault))), { maxLength: 4 }),
          fc.infiniteStream(fc.nat(3_000)),
          (killed, several, lags) => {
            const lag = () => lags.next().value ?? 0
            const books = ledger({ ...options, lag, faults: several })
            for (const [i, [after, pause]] of killed.entries()) {
              const run = (i === 0 ? write : again)(books.client()).subscribe()
              books.pass(after)
              run.unsubscribe()
              books.pass(pause)
            }
            const [told] = books.run(again(books.client()))
            audit(told, done(books), isStream)
            // a request is sent three times: after more faults it may never have arrived
            if (several.length < 3) expect(told?._tag).toBe('Right')
          },
        ),
        { numRuns: RUNS },
      )
    })
  },
)

describe('a look-up', () => {
  it('ends when it is unsubscribed from, and with the deadline', () => {
    const lost: ReadonlyArray<Fault> = [{ name: 'a reset', when: 'after' }]
    const cancelled = ledger({ lag: 20_000, faults: lost })
    const write = cancelled.client().charges.create(charge).subscribe()
    cancelled.pass(5_000)
    write.unsubscribe()
    expect(cancelled.timer.actions).toHaveLength(0)

    const late = ledger({ lag: 20_000, faults: lost })
    const [told] = late.run(late.client({ deadline: 4_000 }).charges.create(charge))
    expect(late.timer.now()).toBeLessThanOrEqual(4_000)
    expect(told).toMatchObject(
      E.left({
        _tag: 'Ambiguous',
        requestId: 'invoice-1',
        tried: [expect.stringContaining('sent 2 times'), expect.stringContaining('not found')],
      }),
    )
  })

  it.each([
    ['interactive', 'before the reads of the bulk lane', 13],
    ['bulk', 'after all', 20],
  ] as const)('waits in the %s lane of its call, beside reads: sent %s', (priority, _, place) => {
    const books = ledger({ lag: 0, faults: [{ name: 'half a body', when: 'after' }] })
    const limits = { global: 100, endpoint: 1, concurrency: 50, logins: 100 }
    const client = books.client({ limits })
    const sent: Array<number> = []
    client.events.subscribe((event) => {
      if (event._tag === 'Sent' && event.endpoint === 'GET /api/v1/charges') sent.push(event.call)
    })
    const read = PRIORITIES.flatMap((lane) =>
      Array.from({ length: 10 }, () => client.with({ priority: lane }).charges.list().pages),
    )
    const told = books.run(
      merge(
        merge(...read).pipe(ignoreElements()),
        client.with({ priority }).charges.create(charge),
      ),
    )
    expect(told).toMatchObject([E.right({ request_id: 'invoice-1' })])
    const lookUp = sent.indexOf(Math.max(...sent)) // the call that began last
    expect(sent).toHaveLength(21)
    if (priority === 'bulk') expect(lookUp).toBe(place)
    else expect(lookUp).toBeLessThan(place)
  })

  it.each([
    [0, 'Ambiguous'],
    [5_000, 'Ambiguous'],
    [60_000, 'Right'],
  ])('goes on for as long as lookUpFor says: %i ms', (lookUpFor, tag) => {
    const books = ledger({ lag: 20_000, faults: [{ name: 'a reset', when: 'after' }] })
    const [told] = books.run(books.client({ lookUpFor }).charges.create(charge))
    expect(told?._tag === 'Left' ? told.left._tag : told?._tag).toBe(tag)
  })

  it('ends within the patience of its call', () => {
    const books = ledger({ lag: 20_000, faults: [{ name: 'a reset', when: 'after' }] })
    const patient = books.client({ lookUpFor: 60_000, retry: { patience: 6_000 } })
    const [told] = books.run(patient.charges.create(charge))
    expect(told?._tag).toBe('Left')
    expect(books.timer.now()).toBeLessThanOrEqual(6_100)
  })
})
