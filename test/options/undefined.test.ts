/** An option, or a parameter, that is `undefined` counts as left out: under `exactOptionalPropertyTypes` types say so. */
import { describe, expectTypeOf, it } from 'vitest'
import type { DriftOptions } from '../../src/decode/index.js'
import type {
  ExportOptions,
  FileOptions,
  FormatOptions,
  StreamOptions,
  SyncOptions,
  VerifyOptions,
} from '../../src/export/index.js'
import type { KyOptions } from '../../src/http/transport/kyTransport.js'
import type { api, CallOptions, ClientOf, ClientOptions, SnapshotFilter } from '../../src/index.js'
import type { ListenOptions, SandboxOptions } from '../../src/sandbox/index.js'
import type {
  Concurrency,
  Rate,
  RefusalOptions,
  ScheduleMapOptions,
  ScheduleOptions,
  SchedulerOptions,
} from '../../src/scheduler/index.js'
import type {
  BackoffOptions,
  CollectOptions,
  DrainOptions,
  ParallelOptions,
} from '../../src/stream/index.js'
import type { ReceiverOptions, SignOptions, VerifierOptions } from '../../src/webhooks/index.js'

/** The fields that may be left out and must not be `undefined`. */
type Exact<A> = {
  [Name in keyof A]-?: Record<never, never> extends Pick<A, Name>
    ? Record<Name, undefined> extends Pick<A, Name>
      ? never
      : Name
    : never
}[keyof A]

type Params<Call> = Call extends (...params: infer P) => unknown ? NonNullable<P[0]> : never

/** As above, for the parameters of all calls. */
type ExactParams<Tables> = {
  [Resource in keyof Tables]: {
    [Name in keyof Tables[Resource]]: Exact<Params<Tables[Resource][Name]>>
  }[keyof Tables[Resource]]
}[keyof Tables]

describe('optional values may be undefined', () => {
  it('in the client and its calls', () => {
    expectTypeOf<Exact<ClientOptions>>().toBeNever()
    expectTypeOf<Exact<NonNullable<ClientOptions['timeout']>>>().toBeNever()
    expectTypeOf<Exact<NonNullable<ClientOptions['retry']>>>().toBeNever()
    expectTypeOf<Exact<CallOptions>>().toBeNever()
    expectTypeOf<Exact<KyOptions>>().toBeNever()
    expectTypeOf<Exact<SnapshotFilter>>().toBeNever()
    expectTypeOf<ExactParams<ClientOf<typeof api>>>().toBeNever()
  })

  it('in lists and streams', () => {
    expectTypeOf<Exact<DrainOptions>>().toBeNever()
    expectTypeOf<Exact<ParallelOptions>>().toBeNever()
    expectTypeOf<Exact<CollectOptions>>().toBeNever()
    expectTypeOf<Exact<BackoffOptions>>().toBeNever()
    expectTypeOf<Exact<DriftOptions>>().toBeNever()
  })

  it('in schedulers', () => {
    expectTypeOf<Exact<SchedulerOptions<string>>>().toBeNever()
    expectTypeOf<Exact<ScheduleOptions<string>>>().toBeNever()
    expectTypeOf<Exact<ScheduleMapOptions<string, string, string>>>().toBeNever()
    expectTypeOf<Exact<RefusalOptions>>().toBeNever()
    expectTypeOf<Exact<Rate<string>>>().toBeNever()
    expectTypeOf<Exact<Concurrency<string>>>().toBeNever()
  })

  it('in webhooks', () => {
    expectTypeOf<Exact<VerifierOptions>>().toBeNever()
    expectTypeOf<Exact<ReceiverOptions>>().toBeNever()
    expectTypeOf<Exact<SignOptions>>().toBeNever()
    expectTypeOf<Exact<NonNullable<VerifierOptions['scheme']>>>().toBeNever()
  })

  it('in exports', () => {
    expectTypeOf<Exact<ExportOptions<string, string>>>().toBeNever()
    expectTypeOf<Exact<FileOptions<string>>>().toBeNever()
    expectTypeOf<Exact<FormatOptions>>().toBeNever()
    expectTypeOf<Exact<StreamOptions<string>>>().toBeNever()
    expectTypeOf<Exact<VerifyOptions>>().toBeNever()
    expectTypeOf<Exact<SyncOptions>>().toBeNever()
  })

  it('in the sandbox', () => {
    expectTypeOf<Exact<SandboxOptions>>().toBeNever()
    expectTypeOf<Exact<ListenOptions>>().toBeNever()
  })
})
