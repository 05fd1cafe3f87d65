/** All suites in a short form: one table at the end, also as JSON and as a page. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { conditions, inWords, peerVersions } from './conditions.ts'
import { pageOf, type Tour, type Visit } from './page.ts'
import { bestPeer, figure, type Result, ratio } from './result.ts'
import { type Ran, runSuite } from './runSuite.ts'
import { type Suite, suites } from './suites.ts'

// model

/** A row of the table: one piece of work. */
export interface Line {
  readonly suite: string
  readonly subject: string
  readonly unit: string
  readonly ours: string
  readonly floor: string
  readonly peer: string
  /** Ratio to the floor. */
  readonly ratio: string
}

// the table

const lineOf = (suite: string, result: Result): Line => {
  const of = (role: 'ours' | 'floor') => result.contenders.find((one) => one.role === role)
  const [ours, floor, peer] = [of('ours'), of('floor'), bestPeer(result)]
  const times = ratio(result, 'ours', 'floor')
  return {
    suite,
    subject: result.subject,
    unit: result.unit,
    ours: ours === undefined ? '' : figure(ours.value),
    floor: floor === undefined ? '' : `${figure(floor.value)} (${floor.name})`,
    peer: peer === undefined ? '' : `${figure(peer.value)} (${peer.name})`,
    ratio: times === undefined ? '' : `${times.toFixed(2)} ×`,
  }
}

export const linesOf = ({ suite, runs }: Visit): ReadonlyArray<Line> =>
  runs.flatMap(({ results }) => results.map((result) => lineOf(suite.name, result)))

const HEADS: Line = {
  suite: 'suite',
  subject: 'work',
  unit: 'unit',
  ours: 'ours',
  floor: 'floor',
  peer: 'best peer',
  ratio: 'of floor',
}

const tableOf = (visits: ReadonlyArray<Visit>): string => {
  const lines = [HEADS, ...visits.flatMap(linesOf)].map((line) => Object.values({ ...line }))
  const widths = Object.values(HEADS).map((_, at) =>
    Math.max(...lines.map((cells) => cells[at]?.length ?? 0)),
  )
  return lines
    .map((cells) => cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n')
}

// the tour

const isThere = (command: string): boolean => {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const visit = async (suite: Suite, number: number): Promise<Visit> => {
  const place = `[${number}/${suites.length}] ${suite.name}`
  const visited = { suite, peers: peerVersions(suite) }
  if (suite.needs !== undefined && !isThere(suite.needs)) {
    console.log(`${place}: SKIPPED, there is no ${suite.needs} in PATH`)
    return { ...visited, runs: [], missing: suite.needs }
  }
  console.log(`${place}: ${suite.question}`)
  const runs: Array<Ran> = []
  for (const args of suite.tour) {
    const title = `  ${[suite.name, ...args].join(' ')}`
    const ran = await runSuite(suite, args, { title, isPrinted: false })
    runs.push(ran)
    if (ran.status !== 0) console.error(`${title}: FAILED, status ${ran.status}\n${ran.tail}`)
    else console.log(`${title}: ${ran.seconds.toFixed(0)} s`)
  }
  return { ...visited, runs }
}

/** Runs all suites. Returns the exit status: 1 if one has failed. */
export const tour = async (folder: string): Promise<number> => {
  const began = performance.now()
  const at = conditions()
  console.log(`${inWords(at)}\n`)
  const visits: Array<Visit> = []
  for (const suite of suites) visits.push(await visit(suite, visits.length + 1))
  const seconds = Math.round((performance.now() - began) / 1_000)
  const whole: Tour = { conditions: at, seconds, visits }

  mkdirSync(folder, { recursive: true })
  const [json, page] = [join(folder, 'tour.json'), join(folder, 'tour.html')]
  writeFileSync(json, `${JSON.stringify(whole, undefined, 2)}\n`)
  writeFileSync(page, pageOf(whole))

  const failed = visits.filter(({ runs }) => runs.some(({ status }) => status !== 0))
  const skipped = visits.filter(({ missing }) => missing !== undefined)
  const names = (some: ReadonlyArray<Visit>) => some.map(({ suite }) => suite.name).join(', ')
  console.log(`\n${tableOf(visits)}\n`)
  if (skipped.length > 0) console.log(`${skipped.length} skipped: ${names(skipped)}`)
  if (failed.length > 0) console.log(`${failed.length} failed: ${names(failed)}`)
  console.log(`${seconds} s. Written: ${json}, ${page}`)
  return failed.length > 0 ? 1 : 0
}
