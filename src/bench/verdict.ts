/** Why a run was as fast as it was, by Little's law: requests under way = requests a second x time of an answer. */
import { widthFor } from '../client/measuredWidth.js'
import { number, percent } from '../report/text.js'
import type { LimitChanged } from '../scheduler/index.js'
import type { BoundBy, Ceiling } from './BenchResult.js'
import type { Measured } from './measure.js'

// model

export interface Case {
  readonly measured: Pick<
    Measured,
    'unitsPerSecond' | 'requests' | 'cpuShare' | 'meanAnswer' | 'underWay' | 'waiting'
  >
  readonly ceiling: Ceiling
  /** Concurrent requests. */
  readonly width: number
  /** The limit of concurrent requests. */
  readonly concurrency: number
  readonly refused: number
  readonly failed: number
  /** Name of a unit of work: `page`, `call`. */
  readonly unit: string
  /** A limit of requests a second of which the service lets in less than is configured, as it was at the end. */
  readonly lowered?: Lowered | undefined
}

/** A limit of which less is let in. */
export type Lowered = Pick<LimitChanged, 'tier' | 'limit' | 'allowed' | 'message'>

export interface BenchVerdict {
  readonly boundBy: BoundBy
  /** One sentence. */
  readonly verdict: string
  /** Part of the ceiling that was used. */
  readonly share: number
}

/** Part of a limit from which on it counts as used up: rolling windows are filled to 93 to 99.9 %. */
const FULL = 0.93
/** Part of the width that is under way when the width is the bound: the rest is spent on rows, between requests. */
const BUSY = 0.8
/** Part of a real limit from which on it is what holds a run back: it is searched for first. */
const NEAR = 0.7
/** Part of a core: JavaScript has one. */
const CPU_FULL = 0.9
/** Part of the requests from which on refusals and faults are the bound. */
const TROUBLE = 0.05

// functions

export const verdictOf = (one: Case): BenchVerdict => {
  const { measured, ceiling, width, concurrency, refused, failed, unit } = one
  const share = measured.unitsPerSecond / ceiling.perSecond
  const used = `${percent(share)} of the quota`
  const rate = `${number(ceiling.perSecond)} requests a second`
  const answer = `${number(measured.meanAnswer)} ms a ${unit}`
  const say = (boundBy: BoundBy, why: string): BenchVerdict => ({
    boundBy,
    share,
    verdict: `${used}: ${why}`,
  })
  const limit = `${rate} are the limit of ${ceiling.name === 'endpoint' ? 'one endpoint' : 'all endpoints together'}`
  if (share >= FULL) return say('quota', limit)
  if (measured.cpuShare >= CPU_FULL) {
    return say('machine', `this process has a core busy ${percent(measured.cpuShare)} of the time`)
  }
  const real = realLimit(one)
  if (real !== undefined && measured.unitsPerSecond >= NEAR * real.perSecond) {
    return { boundBy: 'quota', share, verdict: real.words }
  }
  if (measured.underWay >= BUSY * width) {
    const concurrent = `${number(width)} concurrent ${width === 1 ? 'request' : 'requests'} at ${answer}`
    if (width >= concurrency) {
      return say('concurrency', `${concurrent}, and the service allows no more`)
    }
    const needed = widthFor(ceiling.perSecond, measured.meanAnswer, concurrency)
    const reached = (needed * 1_000) / measured.meanAnswer / ceiling.perSecond
    const would =
      reached >= FULL ? 'fill it' : `use ${percent(reached)}, and the service allows no more`
    return say('width', `${concurrent}; \`--parallel ${needed}\` would ${would}`)
  }
  const trouble = [
    ...(refused > 0 ? [`${number(refused)} refused (429)`] : []),
    ...(failed > 0 ? [`${number(failed)} failed`] : []),
  ]
  if (real !== undefined) return { boundBy: 'quota', share, verdict: real.words }
  if (refused + failed > TROUBLE * measured.requests) {
    return say('service', `the service held requests up: ${trouble.join(', ')}`)
  }
  return measured.waiting >= 1
    ? say('quota', `${limit}, and the rest is room for the spread of answers, ${answer} on average`)
    : say(
        'service',
        `${number(measured.underWay)} of ${number(width)} requests under way at ${answer}`,
      )
}

/** Returns the limit that the service keeps, where that is below the configured one, and what to set. */
const realLimit = ({
  measured,
  ceiling,
  lowered,
}: Pick<Case, 'measured' | 'ceiling' | 'lowered'>):
  | { readonly perSecond: number; readonly words: string }
  | undefined => {
  if (lowered?.tier !== ceiling.name) return undefined
  const { limit, message } = lowered
  // the limit may just have been lowered for a while: it is not below what was admitted
  const admitted = Math.floor((measured.unitsPerSecond * limit) / ceiling.perSecond)
  const allowed = Math.max(lowered.allowed, admitted)
  const perSecond = (ceiling.perSecond * allowed) / limit // of several endpoints
  const setting =
    allowed === lowered.allowed && message.includes(SANDBOX_MEANT)
      ? SANDBOX_MEANT
      : `set \`limits: { ${ceiling.name}: ${allowed} }\`, or take a part of the limits with \`--share\` if other programs use this account`
  const words = `${percent(Math.min(1, measured.unitsPerSecond / perSecond))} of a real limit of ${number(perSecond)} a second; ${number(ceiling.perSecond)} are configured: ${setting}`
  return { perSecond, words }
}

/** As the client asks it, where the limits of the sandbox explain the figure. */
const SANDBOX_MEANT = "is environment: 'sandbox' meant?"
