/**
 * Benchmarks. `npm run bench` is a tour of all, in less than five minutes; `npm run bench -- NAME [ARGUMENTS]` runs one; `npm
 * run bench -- --help` lists them.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { didYouMean, similarName } from '../src/options/unknownName.ts'
import { conditions, inWords, peerVersions } from './conditions.ts'
import { runSuite } from './runSuite.ts'
import { type Suite, suites } from './suites.ts'
import { tour } from './tour.ts'

const folder = fileURLToPath(new URL('../bench-results', import.meta.url))

const HELP = `npm run bench                         a tour of all suites, less than five minutes
npm run bench -- NAME [ARGUMENTS]     one suite, at its full length

${suites.map(({ name, question }) => `  ${name.padEnd(12)}${question}`).join('\n')}

Figures are also written to bench-results, as JSON and, of the tour, as a page.`

/** Prints what is measured, what it is compared with, and the machine. Then runs the benchmark. */
const runOne = async (suite: Suite, args: ReadonlyArray<string>): Promise<number> => {
  const at = conditions()
  const peers = peerVersions(suite)
  const isJson = args.includes('--json') // only JSON on stdout
  if (!isJson) {
    console.log(`${suite.name}: ${suite.question}
floor: ${suite.floor}; peers: ${peers.join(', ') || 'none'}; seeds: ${suite.seeds}
${inWords(at)}\n`)
  }
  const ran = await runSuite(suite, args, { title: suite.name, isPrinted: true })
  if (ran.results.length > 0) {
    mkdirSync(folder, { recursive: true })
    const file = join(folder, `${suite.name}.json`)
    writeFileSync(
      file,
      `${JSON.stringify({ conditions: at, suite, peers, ...ran }, undefined, 2)}\n`,
    )
    if (!isJson) console.log(`\n${ran.seconds.toFixed(0)} s. Written: ${file}`)
  }
  return ran.status
}

const [name, ...args] = process.argv.slice(2)
const suite = suites.find((one) => one.name === name)
if (name === undefined) process.exitCode = await tour(folder)
else if (name === '--help' || name === '-h') console.log(HELP)
else if (suite === undefined) {
  const names = suites.map((one) => one.name)
  console.error(
    `bench: there is no suite ${name}${didYouMean(similarName(name, names))}\n\n${HELP}`,
  )
  process.exitCode = 2
} else process.exitCode = await runOne(suite, args)
