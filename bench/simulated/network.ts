import { lognormal, uniform } from './random.ts'

type Draw = (random: () => number) => number

/** Time for which a request is on its way, is processed, and its response is on its way, in ms. */
export interface Network {
  readonly uplink: Draw
  readonly processing: Draw
  readonly downlink: Draw
}

export const networks: Readonly<Record<string, Network>> = {
  loopback: {
    uplink: uniform(0.1, 0.4),
    processing: uniform(0.2, 0.6),
    downlink: uniform(0.1, 0.4),
  },
  /** A round trip of 90 ms, plus or minus 4. */
  steady: { uplink: uniform(38, 42), processing: () => 10, downlink: uniform(38, 42) },
  wan: { uplink: lognormal(60, 90), processing: lognormal(30, 120), downlink: lognormal(60, 90) },
  jittery: {
    uplink: lognormal(50, 150),
    processing: lognormal(40, 250),
    downlink: lognormal(50, 150),
  },
}
