/** An embedded sandbox of the Payments Platform, in process or on a port of this machine. */
export { createSandbox, type Sandbox } from './createSandbox.js'
export type { DeliveryStats } from './events/Deliveries.js'
export type { DeliveryFault, DeliveryFaults, DeliveryTarget } from './events/deliveryFaults.js'
export type { Deliver } from './events/send.js'
export { type Triggered, type TriggerOptions, trigger } from './events/trigger.js'
export type { FaultName, Faults, FaultTarget } from './faults.js'
export { type Listening, type ListenOptions, listen } from './listen.js'
export {
  type SandboxCredentials,
  type SandboxOptions,
  type SandboxPartner,
  sandboxCredentials,
  sandboxPartner,
} from './options.js'
export type { SandboxTier } from './RateLimiter.js'
export type { EndpointStats, SandboxStats } from './requestLifecycle.js'
export { type VirtualTime, virtualTime } from './virtualTime.js'
