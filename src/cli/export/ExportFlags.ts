import type { Environment } from '../../api/limits.js'
import type { Guard } from '../../scheduler/index.js'
import type { ViewFlags } from '../progress/ProgressView.js'
import type { OutputFlags } from './outputPlan.js'

/** What every export can be told. */
export interface ExportFlags extends OutputFlags, ViewFlags {
  readonly environment?: Environment
  readonly guard?: Guard
  /** Requests at a time. */
  readonly parallel?: number
  /** Whether any are kept. */
  readonly limits: boolean
  /** The part of them to use. */
  readonly share: number
  /** How long a fault is waited for, in seconds. */
  readonly patience: number
  readonly maxRejects: number
  readonly sandbox?: boolean
  readonly rows?: number
}
