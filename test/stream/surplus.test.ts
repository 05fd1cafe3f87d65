/** Pages on their way when the list is cut are given up at once, not after the last one. */
import { asyncScheduler, concat, finalize, map, of, timer } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E, O } from '../../src/fp.js'
import type { ParallelOptions } from '../../src/stream/index.js'
import { inParallel, type P, page, playing, run, shown } from './playing.js'

const WORK = 1_000

type Playing = ReturnType<typeof playing>

/** Drains four at a time, a second of work a page; when what was on its way was given up. */
const drained = ({ options, log }: Playing, how: ParallelOptions) => {
  const givenUp: Array<number> = []
  const watched: Playing['options'] = {
    ...options,
    fetch: (position) => {
      const before = log.aborted.length
      return options.fetch(position).pipe(
        finalize(() => {
          if (log.aborted.length > before) givenUp.push(asyncScheduler.now())
        }),
      )
    },
  }
  const out = run(() =>
    concat(
      inParallel(
        4,
        how,
      )(watched).drain((page) =>
        timer(WORK).pipe(map(() => `${asyncScheduler.now()} ${shown(page)}`)),
      ),
      of('end'),
    ),
  )
  return { out, givenUp, aborted: log.aborted }
}

const goesOn = (position: number, items?: ReadonlyArray<number>): E.Either<string, P> =>
  E.right(page(position, position + 1, items === undefined ? undefined : [...items]))

describe.each([{ ordered: true }, { ordered: false }])('a list in parallel, cut: %j', (how) => {
  it('by a page that repeats another, gives up the rest before its last word is worked on', () => {
    // pages from 4 on come late: they are on their way when page 3 is read
    const played = playing({
      pages: 50,
      ms: (position) => (position < 4 ? 10 : 100_000),
      answer: (position) => goesOn(position, [Math.min(position, 2)]),
    })
    const options = {
      ...played.options,
      mark: ({ raw }: P) => O.some(String(raw[0])),
    }
    const { out, aborted, givenUp } = drained({ ...played, options }, how)
    expect(out).toEqual(['1010 0', '2010 1', '3010 2', '4010 SameRows 3', 'end'])
    expect(givenUp.length).toBe(aborted.length)
    expect(Math.max(0, ...givenUp)).toBeLessThanOrEqual(3_010)
  })

  it('by a page that failed, gives up the rest when it fails', () => {
    const played = playing({
      pages: 50,
      ms: (position) => (position < 3 ? 10 : 20 + position * 100),
      answer: (position) => (position === 3 ? E.left('broken') : goesOn(position)),
    })
    const { out, aborted, givenUp } = drained(played, how)
    expect(out.slice(-2)).toEqual(['4010 Failed 3', 'end'])
    expect(aborted.every((position) => position > 3)).toBe(true)
    expect(givenUp.every((at) => at <= 1_010)).toBe(true)
  })

  it('by a run of empty pages, gives up the rest', () => {
    const played = playing({
      pages: 50,
      ms: (position) => (position < 4 ? 10 : 100_000),
      answer: (position) => goesOn(position, []),
    })
    const { out, givenUp } = drained(played, how)
    expect(out.slice(-2)).toEqual(['5010 OnlyEmpty 4', 'end'])
    expect(Math.max(0, ...givenUp)).toBeLessThanOrEqual(4_010)
  })
})
