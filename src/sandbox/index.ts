/** An embedded sandbox of the Payments Platform: in process, or on a port of this machine. */
export { InvalidOption } from '../options/index.js'
export type { BatchOptions, FundingCourse } from './batches/options.js'
export { createSandbox, type Sandbox } from './createSandbox.js'
export {
  FAULT_HEADER,
  type FaultName,
  type Faults,
  type FaultTarget,
  faultNames,
} from './faults.js'
export { type Listening, type ListenOptions, listen } from './listen.js'
export type { SandboxTier } from './RateLimiter.js'
export type { Manner, Play, Reply } from './Reply.js'
export type { ReferenceOptions } from './reference/options.js'
export type { SandboxCredentials, SandboxOptions, SandboxPartner } from './SandboxOptions.js'
export { defaults as sandboxDefaults, sandboxCredentials, sandboxPartner } from './settings.js'
export type { EndpointStats, SandboxStats } from './stats.js'
export { type VirtualTime, virtualTime } from './virtualTime.js'
