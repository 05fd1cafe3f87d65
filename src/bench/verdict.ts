/** Determines the factor that limited a run from measurements only, and never from what more requests might have achieved. */
import { BUSY, FULL } from '../client/measuredWidth.js'
import { number, percent, plural } from '../report/text.js'
import type { LimitChanged } from '../scheduler/index.js'
import type { BoundBy, Ceiling } from './BenchResult.js'
import type { Measured } from './measure.js'

export interface Case {
  readonly measured: Pick<
    Measured,
    'unitsPerSecond' | 'requests' | 'cpuShare' | 'late' | 'meanAnswer' | 'underWay' | 'waiting'
  >
  readonly ceiling: Ceiling
  /** Concurrent requests. */
  readonly width: number
  /** The last part of the run, which had more concurrent requests, or fewer if the service does not allow more. */
  readonly tried?: WiderRun | undefined
  /** Concurrency beyond which more requests are not faster, as found by the client during the run. */
  readonly enough?: number | undefined
  readonly refused: number
  /** Retried requests, after refusals and faults. */
  readonly retries: number
  readonly failed: number
  /** Name of a unit of work: `page`, `call`. */
  readonly unit: string
  /** A limit in requests per second that the service did not fully grant at the end. */
  readonly lowered?: Lowered | undefined
}

export interface WiderRun {
  readonly width: number
  readonly unitsPerSecond: number
}

/** A limit that the service does not fully grant. */
export type Lowered = Pick<LimitChanged, 'tier' | 'limit' | 'allowed' | 'message'>

export interface BenchVerdict {
  readonly boundBy: BoundBy
  /** The verdict in one sentence. */
  readonly verdict: string
  /** Share of the ceiling that was used. */
  readonly share: number
}

/** Share of a core at which the CPU counts as the bottleneck. JavaScript uses one core. */
const CPU_FULL = 0.9
/** Delay of timers, in ms, from which other work or processes delay responses. In an idle process, it is 1 or 2 ms. */
const LATE = 20
/** Share of requests at which refusals and faults count as the bottleneck. */
const TROUBLE = 0.05
/** Average number of requests waiting for a limit at which that limit counts as the bottleneck. */
const WAITING = 0.1

export const verdictOf = (one: Case): BenchVerdict => {
  const {
    measured,
    ceiling,
    width,
    tried,
    enough = Number.NaN,
    refused,
    retries,
    failed,
    unit,
  } = one
  const share = measured.unitsPerSecond / ceiling.perSecond
  const say = (boundBy: BoundBy, why: string): BenchVerdict => ({
    boundBy,
    share,
    verdict: `${percent(share)} of the rate limit used: ${why}`,
  })
  const answer = `${number(measured.meanAnswer)} ms per ${unit}`
  const concurrent = `${plural(width, 'concurrent request')} at ${answer}`
  if (measured.waiting >= WAITING) {
    const limit = `${ceiling.name === 'endpoint' ? 'one endpoint allows' : 'all endpoints together allow'} ${number(ceiling.perSecond)} requests per second`
    if (share >= FULL) return say('quota', limit)
    const verdict = realLimit(one)
    if (verdict !== undefined) return { boundBy: 'quota', share, verdict }
  }
  if (tried !== undefined && isFaster(one, tried)) {
    return tried.width < width
      ? say('concurrency', `${concurrent}, and the service allows no more`)
      : say(
          'concurrency',
          `${concurrent}; \`--parallel ${tried.width}\` reached ${percent(Math.min(1, tried.unitsPerSecond / ceiling.perSecond))}`,
        )
  }
  if (measured.cpuShare >= CPU_FULL) {
    return say('machine', `this process keeps a CPU core ${percent(measured.cpuShare)} busy`)
  }
  if (measured.late >= LATE) {
    return say(
      'machine',
      `timers fire ${number(measured.late)} ms late because this process or others use all of the CPU`,
    )
  }
  if (Math.max(refused, retries) + failed > TROUBLE * measured.requests) {
    const trouble = [
      ...(refused > 0 ? [`${number(refused)} refused (429)`] : []),
      ...(retries > 0 ? [`${number(retries)} retried`] : []),
      ...(failed > 0 ? [`${number(failed)} failed`] : []),
    ]
    return say('service', `the service delayed requests: ${trouble.join(', ')}`)
  }
  if (tried !== undefined && share < FULL) {
    return say(
      'service',
      `${concurrent}, and ${Math.max(width, tried.width)} are no faster than ${Math.min(width, tried.width)}`,
    )
  }
  if (measured.underWay >= BUSY * enough) {
    return say(
      'service',
      `${answer}, and more than ${number(enough)} concurrent requests are no faster`,
    )
  }
  const waited =
    measured.waiting >= WAITING
      ? `, ${number(measured.waiting)} queued by a limit`
      : measured.underWay >= BUSY * width
        ? ', and more were not tried (`--parallel`)'
        : ''
  return say(
    'unclear',
    `${number(Math.min(width, measured.underWay))} of ${plural(width, 'concurrent request')} in flight at ${answer}${waited}`,
  )
}

/**
 * Returns true if the part with higher concurrency was faster by at least half of what its concurrency or the remaining quota
 * would allow.
 */
const isFaster = ({ measured, ceiling, width }: Case, tried: WiderRun): boolean => {
  const run = { width, unitsPerSecond: measured.unitsPerSecond }
  const [narrow, wide] = tried.width < width ? [tried, run] : [run, tried]
  const most = Math.min(wide.width / narrow.width, ceiling.perSecond / narrow.unitsPerSecond)
  return wide.unitsPerSecond / narrow.unitsPerSecond >= (1 + most) / 2
}

/**
 * Describes the limit that the service enforces, and which setting to change, if that limit is used up and is below the
 * configured one.
 */
const realLimit = ({ measured, ceiling, lowered }: Case): string | undefined => {
  if (lowered?.tier !== ceiling.name) return undefined
  const { limit, message } = lowered
  // the limit may only be lowered temporarily; it is at least the admitted rate
  const admitted = Math.floor((measured.unitsPerSecond * limit) / ceiling.perSecond)
  const allowed = Math.max(lowered.allowed, admitted)
  const perSecond = (ceiling.perSecond * allowed) / limit // summed over several endpoints
  const share = measured.unitsPerSecond / perSecond
  if (share < FULL) return undefined
  const setting =
    allowed === lowered.allowed && message.includes(SANDBOX_MEANT)
      ? SANDBOX_MEANT
      : `set \`limits: { ${ceiling.name}: ${allowed} }\`, or use a share of the limits with \`--share\` if other programs use this account`
  return `${percent(Math.min(1, share))} of the real limit of ${number(perSecond)} requests per second used, but ${number(ceiling.perSecond)} are configured: ${setting}`
}

/** Question that the client also asks, if the sandbox's limits explain the figure. */
const SANDBOX_MEANT = "did you mean environment: 'test'?"
