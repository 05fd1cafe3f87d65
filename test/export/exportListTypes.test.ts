/** What an editor knows of an export: the rows are those of the list. */
import type { Observable } from 'rxjs'
import { describe, expectTypeOf, it } from 'vitest'
import {
  type Drainable,
  exportList,
  type Progress,
  type Reject,
  type Sink,
} from '../../src/export/index.js'
import type { Charge, Client, Failure, Page, Position, SnapshotPosition } from '../../src/index.js'

declare const payments: Client
const rejects = async (): Promise<void> => {}

describe('exportList', () => {
  it('gives a sink the rows of its list, and the page they are of', () => {
    const run = () =>
      exportList({
        list: payments.charges.list(),
        sink: async (rows, { position }) => {
          expectTypeOf(rows).toEqualTypeOf<ReadonlyArray<Readonly<Charge>>>()
          expectTypeOf(position).toEqualTypeOf<Position>()
        },
        rejects: async (rows) => {
          expectTypeOf(rows).toEqualTypeOf<ReadonlyArray<Reject<Position>>>()
        },
        key: ({ id }) => id,
        commit: async ({ next }) => {
          expectTypeOf(next).toEqualTypeOf<Position | undefined>()
        },
      })
    expectTypeOf(run).returns.toEqualTypeOf<Observable<Progress<Position>>>()
  })

  it('knows the slice of a page of a snapshot', () => {
    const run = () =>
      exportList({
        list: payments.charges.snapshot().parallel(8),
        sink: async (rows, { slice }) => {
          expectTypeOf(rows).toEqualTypeOf<ReadonlyArray<Readonly<Charge>>>()
          expectTypeOf(slice.number).toEqualTypeOf<number>()
        },
        rejects,
      })
    expectTypeOf(run).returns.toEqualTypeOf<Observable<Progress<SnapshotPosition>>>()
  })

  it('lets no sink change a row in place, which would be written as it came', () => {
    const write: Sink<Charge> = async () => {}
    const run = () =>
      exportList({
        list: payments.charges.list(),
        sink: async (rows) => {
          for (const row of rows) {
            // @ts-expect-error a row is a value
            row.reference = 'hidden'
          }
          await write(rows)
          await write(rows.map((row) => ({ ...row, reference: 'hidden' })))
        },
        rejects,
      })
    expectTypeOf(run).toBeFunction()
  })

  it('takes a sink that was made elsewhere, of whatever rows', () => {
    const run = <A>(list: Drainable<Page<Failure, A, Position>>, sink: Sink<A>) =>
      exportList({ list, sink, rejects })
    expectTypeOf(run<unknown>).returns.toEqualTypeOf<Observable<Progress<Position>>>()
    const all = async (rows: ReadonlyArray<unknown>) => rows.length
    expectTypeOf(() =>
      exportList({ list: payments.charges.list(), sink: all, rejects }),
    ).toBeFunction()
  })

  it('takes a sink for less than the row has, and none for another', () => {
    const ids = async (rows: ReadonlyArray<{ readonly id: string }>) => rows.length
    const others = async (rows: ReadonlyArray<{ readonly colour: string }>) => rows.length
    const list = () => payments.charges.list()
    expectTypeOf(() => exportList({ list: list(), sink: ids, rejects })).toBeFunction()
    // @ts-expect-error a charge has no colour
    expectTypeOf(() => exportList({ list: list(), sink: others, rejects })).toBeFunction()
  })
})
