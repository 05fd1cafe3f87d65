/** Runs another program next to the sandbox's server. */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import process from 'node:process'
import type { Observable } from 'rxjs'
import { codeOf } from '../store/FileSystem.js'
import { EXIT_INCOMPLETE, EXIT_USAGE } from './output.js'
import type { Ending } from './runCommand.js'
import type { Terminal } from './Terminal.js'

/**
 * Runs a program with the stdin, stdout and stderr of this process. Resolves with its exit status, or with 128 plus the number
 * of the signal that ended it. Forwards SIGTERM; a terminal sends Ctrl-C to both processes.
 */
export const runProgram = (
  [command = '', ...args]: ReadonlyArray<string>,
  env: Terminal['env'],
  stop: Observable<unknown>,
): Promise<Ending> =>
  new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'inherit', env: { ...env } })
    const stopping = stop.subscribe((signal) => {
      if (signal !== 'SIGINT' || process.stdin.isTTY !== true) child.kill('SIGTERM')
    })
    child.once('error', (error) => {
      stopping.unsubscribe()
      const why = codeOf(error) === 'ENOENT' ? 'program not found' : error.message
      resolve({ status: EXIT_USAGE, reason: `cannot start '${command}': ${why}` })
    })
    child.once('close', (code, signal) => {
      stopping.unsubscribe()
      const number = signal === null ? 0 : constants.signals[signal]
      resolve({ status: code ?? (number === 0 ? EXIT_INCOMPLETE : 128 + number) })
    })
  })
