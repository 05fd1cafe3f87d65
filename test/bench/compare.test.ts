import { expect, it } from 'vitest'
import { comparableOf, compare } from '../../src/bench/compare.js'

const run = (...rates: ReadonlyArray<number>) => ({
  workload: 'read' as const,
  subRuns: rates.map((rowsPerSecond) => ({
    ...{ seconds: 3, rowsPerSecond, requestsPerSecond: rowsPerSecond / 2_000 },
    cpuSecondsPerMillionRows: 2,
  })),
})

const rows = (before: ReturnType<typeof run>, after: ReturnType<typeof run>) =>
  compare(before, after).find(({ name }) => name === 'rowsPerSecond')

it('calls a change within the spread of the parts of a run none', () => {
  expect(rows(run(38_000, 40_000, 39_000), run(39_000, 40_500, 40_000))).toMatchObject({
    verdict: 'none',
    noise: 2_000 / 39_000,
  })
})

it.each([
  [[40_000, 40_100], [30_000, 30_100], 'worse'],
  [[30_000, 30_100], [40_000, 40_100], 'better'],
])('calls %j to %j %s', (before, after, verdict) => {
  expect(rows(run(...before), run(...after))?.verdict).toBe(verdict)
})

it('calls nothing a change that it has no spread for', () => {
  expect(rows(run(30_000), run(40_000))?.verdict).toBe('none')
})

it('calls less CPU better', () => {
  const after = run(40_000, 40_000).subRuns.map((part) => ({
    ...part,
    cpuSecondsPerMillionRows: 1,
  }))
  const changes = compare(run(40_000, 40_000), { workload: 'read', subRuns: after })
  expect(changes.map(({ name, verdict }) => [name, verdict])).toEqual([
    ['rowsPerSecond', 'none'],
    ['requestsPerSecond', 'none'],
    ['cpuSecondsPerMillionRows', 'better'],
  ])
})

it('reads what was written, and says what is wrong with anything else', () => {
  const written = JSON.parse(JSON.stringify(run(1, 2)))
  expect(comparableOf(written, 'read')).toEqual(run(1, 2))
  expect(() => comparableOf(written, 'export')).toThrow(
    'compare should be a result of a run of export',
  )
  expect(() => comparableOf({ workload: 'read' }, 'read')).toThrow('a list `subRuns`')
  expect(() => comparableOf(undefined, 'read')).toThrow('field `workload`')
})
