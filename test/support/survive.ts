/**
 * An export on the command line that is killed (SIGKILL) again and again, and resumed each time, until it
 * is complete. The moment is a change to its folder: the n-th that is seen, n drawn at random, so that
 * every stage is hit: the lock, cutting back, pages, checkpoints, the end, the manifest.
 */
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, watch } from 'node:fs'
import { join } from 'node:path'

// model

export interface Survival {
  /** The arguments of node: the command, and what it is told; without `--resume`. */
  readonly args: ReadonlyArray<string>
  /** Its own: whatever changes there is a moment to be killed at. */
  readonly folder: string
  /** How often it is killed at most. */
  readonly kills: number
  /** Changes that a run may live to see. Default 40: those of about a second. */
  readonly most?: number
  /** From 0 up to 1. */
  readonly random: () => number
}

export interface Survived {
  readonly kills: number
  /** How often it gave up by itself, and said so: a fault that lasts too long. */
  readonly stops: number
  /** Status of the last run, which was not killed. */
  readonly status: number | null
  readonly stderr: string
}

/** An export that gives up more often than that would never end. */
const MOST_STOPS = 50

// constructors

export const survive = async (survival: Survival): Promise<Survived> => {
  const { args, folder, kills, most = 40, random } = survival
  let stops = 0
  for (let killed = 0; ; ) {
    const now = isUnfinished(folder) ? [...args, '--resume'] : args
    const last = await life(now, folder, killed < kills ? 1 + Math.floor(random() * most) : 0)
    if (last.signal === 'SIGKILL') killed++
    else if (last.status !== 1 || stops === MOST_STOPS) return { kills: killed, stops, ...last }
    else stops++
  }
}

/** Whether there is a checkpoint to go on from, in the folder or one of those in it. */
const isUnfinished = (folder: string): boolean =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('checkpoint.json'))
    .some((name) => readFileSync(join(folder, name), 'utf8').includes('"state"'))

interface Death {
  readonly status: number | null
  readonly signal: string | null
  readonly stderr: string
}

/** One run; killed at the n-th change, or never if that is 0. */
const life = (args: ReadonlyArray<string>, folder: string, moment: number): Promise<Death> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    let stderr = ''
    let changes = 0
    const watching = watch(folder, () => {
      if (++changes === moment) child.kill('SIGKILL')
    })
    child.stderr.on('data', (text) => {
      stderr += text
    })
    child.once('error', reject)
    child.once('close', (status, signal) => {
      watching.close()
      resolve({ status, signal, stderr })
    })
  })
