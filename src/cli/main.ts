#!/usr/bin/env node
/** The command `payments-rx`. On unsupported versions of Node, prints one line before it loads any other code. */
import process from 'node:process'

/** The oldest version of Node that the package supports: `engines` in package.json. */
const OLDEST = '22.15.0'

/** Compares versions as numbers. */
const isOlder = (version: string, than: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = than.split('.').map(Number)
  return major === leastMajor ? minor < leastMinor : major < leastMajor
}

if (isOlder(process.versions.node, OLDEST)) {
  process.stderr.write(
    `payments-rx needs Node ${OLDEST} or later, but this is Node ${process.versions.node}\n`,
  )
  process.exitCode = 2
} else {
  const { runProcess } = await import('./runProcess.js')
  await runProcess()
}
