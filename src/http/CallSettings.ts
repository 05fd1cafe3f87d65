import type { Priority } from './Priority.js'
import type { Timeout } from './transport/Transport.js'

/** What the calls of one client have of their own: what `with` changes. */
export interface CallSettings {
  readonly baseUrl: string
  readonly timeout: Timeout
  readonly check: boolean
  readonly priority: Priority
  readonly apiVersion?: string
  readonly onBehalfOf?: string
}
