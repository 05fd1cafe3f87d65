/** A tap that is killed (SIGKILL) again and again, each time resumed from the last STATE that came out whole. */
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

export interface KilledTap {
  /** The arguments of node: the command and its own, but `--state`. */
  readonly args: ReadonlyArray<string>
  /** Where the state is kept between runs. */
  readonly state: string
  readonly kills: number
  /** Lines after which a run is killed, at most. */
  readonly most: number
  /** From 0 up to 1. */
  readonly random: () => number
  /** Receives each record, as a target does: an upsert by id makes the rest. */
  readonly onRecord: (stream: string, record: Readonly<Record<string, unknown>>) => void
}

export interface TapOutcome {
  readonly kills: number
  readonly status: number | null
  readonly stderr: string
}

/** Resolves when a run has ended by itself. */
export const killTap = async (tap: KilledTap): Promise<TapOutcome> => {
  writeFileSync(tap.state, '{}')
  for (let kills = 0; ; ) {
    const after = kills < tap.kills ? 1 + Math.floor(tap.random() * tap.most) : undefined
    const { signal, ...ended } = await life(tap, after)
    if (signal !== 'SIGKILL') return { kills, ...ended }
    kills++
  }
}

const life = ({ args, state, onRecord }: KilledTap, killAfter: number | undefined) =>
  new Promise<Omit<TapOutcome, 'kills'> & { readonly signal: string | null }>((resolve, reject) => {
    const child = spawn(process.execPath, [...args, '--state', state], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let stderr = ''
    let lines = 0
    child.stderr.on('data', (chunk) => {
      stderr += chunk
    })
    const reader = createInterface({ input: child.stdout })
    reader.on('line', (line) => {
      lines++
      if (lines === killAfter) child.kill('SIGKILL')
      const message = parsed(line)
      if (message?.type === 'RECORD') onRecord(message.stream, message.record)
      if (message?.type === 'STATE') writeFileSync(state, JSON.stringify(message.value))
    })
    child.on('error', reject)
    child.on('close', (status, signal) => resolve({ status, signal, stderr }))
  })

/** Undefined for a line that the kill cut off: a target drops it. */
const parsed = (line: string) => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
