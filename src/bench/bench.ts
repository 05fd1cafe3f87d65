/** `bench(options)`: measures the throughput of the client and what limits it. */
import {
  concat,
  concatMap,
  defer,
  finalize,
  from,
  ignoreElements,
  map,
  type Observable,
  of,
  takeUntil,
  takeWhile,
  tap,
  timer,
} from 'rxjs'
import { SECOND } from '../api/limits.js'
import type { ClientOptions } from '../client/ClientOptions.js'
import { createClient } from '../client/createClient.js'
import { withConnection } from '../client/fromEnv.js'
import { E, withoutUndefined } from '../fp.js'
import { sandboxCredentials } from '../sandbox/options.js'
import type { Millis } from '../stream/index.js'
import { steadyTimer } from '../stream/steadyTimer.js'
import { type BenchOptions, type BenchSettings, benchSettings } from './BenchOptions.js'
import type { BenchPeer, BenchResult } from './BenchResult.js'
import { Measurement } from './measure.js'
import { judge, leftOut, PEERS, type PeerProgram, peerProgram, userProgram } from './peers.js'
import { machine, type SandboxSettings, watchProcess, withSandbox } from './processes.js'
import {
  type BenchFailure,
  limitsOf,
  type Ran,
  type RunLimits,
  type RunProgress,
  run,
} from './run.js'
import { exporting, type Work, type WorkOptions, workOf } from './workload.js'

/** A report during a run. */
export type BenchFact =
  /** Progress, every quarter of a second. */
  | ({ readonly _tag: 'Progress' } & RunProgress)
  /** Progress of measuring another program, every second: `elapsed` of `duration`, in ms. */
  | {
      readonly _tag: 'PeerProgress'
      readonly name: string
      readonly elapsed: Millis
      readonly duration: Millis
    }
  /** The result; emitted last. */
  | { readonly _tag: 'Measured'; readonly result: BenchResult }

/** A report or, as the last event, the failure if there is no result. */
export type BenchEvent = E.Either<BenchFailure, BenchFact>

/** The client's own run, together with the data that other programs need for the same work. */
interface OwnMeasurement {
  readonly result: BenchResult
  readonly work: Work
  readonly limits: RunLimits
}

/** Time for all peers together, as a multiple of the client's own time: 48 s for 30 s, plus the time to start them. */
const CONTENDERS_PART = 1.6

/**
 * Measures rows and requests per second, refusals, quantiles of response and waiting times, CPU and memory, and reports what
 * limited them. Read-only unless the workload is `write`; respects the rate limits. Cold; unsubscribing stops everything. Throws
 * an `InvalidOption` before anything is sent.
 */
export const bench = (options: BenchOptions = {}): Observable<BenchEvent> => {
  const settings = benchSettings(options)
  if (settings.connection !== undefined) {
    const connection = withConnection(settings.connection)
    const { baseUrl = '' } = connection
    return ownContender(settings, connection, baseUrl).pipe(map(E.map(factOf)))
  }
  const sandbox = sandboxOf(settings)
  return withSandbox(sandbox, ({ url, count }) =>
    ownContender(
      settings,
      { baseUrl: url, credentials: sandboxCredentials, environment: sandbox.environment },
      'embedded sandbox',
    ).pipe(
      concatMap(async (event) => {
        if (E.isLeft(event) || !isOwn(event.right)) return event
        const { isSettled: _, ms: __, ...arrivals } = await count()
        return E.right({ ...event.right, result: { ...event.right.result, arrivals } })
      }),
      takeWhile((event) => E.isLeft(event) || !isOwn(event.right), true),
    ),
  ).pipe(
    concatMap((event) =>
      E.isLeft(event) || !isOwn(event.right)
        ? of(E.map(factOf)(event))
        : contend(settings, sandbox, event.right),
    ),
  )
}

const sandboxOf = ({ sandbox = {} }: BenchSettings): SandboxSettings => ({
  environment: 'production',
  charges: 2_000_000,
  batches: 40,
  latency: 150,
  jitter: 30,
  ...withoutUndefined(sandbox),
})

const isOwn = (one: RunProgress | OwnMeasurement): one is OwnMeasurement => 'work' in one

const factOf = (one: RunProgress | OwnMeasurement): BenchFact =>
  isOwn(one) ? { _tag: 'Measured', result: one.result } : { _tag: 'Progress', ...one }

const ownContender = (
  settings: BenchSettings,
  connection: ClientOptions,
  target: string,
): Observable<E.Either<BenchFailure, RunProgress | OwnMeasurement>> => {
  const { workload, pageSize, duration, parallel, share, guard } = settings
  const client = createClient({
    ...connection,
    ...withoutUndefined({ share, guard }),
    timer: settings.timer,
  })
  const timer = steadyTimer(settings.timer)
  const uuid = () => crypto.randomUUID()
  const instead =
    workload === 'export'
      ? exporting({ client, pageSize, parallel, duration, timer: settings.timer })
      : undefined
  return defer(() => {
    const { usage, close } =
      settings.usage === undefined ? watchProcess() : { usage: settings.usage, close: () => {} }
    const began = new Date(settings.timer.now()).toISOString()
    const measurement = new Measurement(timer, usage)
    const counting = client.events.subscribe((event) => measurement.observe(event))
    const resultOf = (ran: Ran): BenchResult => ({
      ...{ workload, target, environment: connection.environment ?? 'production', began },
      ...ran,
      ...{ peers: [], machine: machine() },
    })
    return from(prepare(workload, { client, pageSize, uuid })).pipe(
      concatMap((prepared) => {
        if (E.isLeft(prepared)) return of(prepared)
        const { work, limits } = prepared.right
        const options = { client, work, limits, duration, parallel, instead, timer, measurement }
        return run(options).pipe(
          map(E.map((event) => (isRan(event) ? { result: resultOf(event), work, limits } : event))),
        )
      }),
      finalize(() => {
        counting.unsubscribe()
        close()
      }),
    )
  })
}

const prepare = async (
  workload: BenchResult['workload'],
  options: WorkOptions,
): Promise<E.Either<BenchFailure, Omit<OwnMeasurement, 'result'>>> => {
  const work = await workOf(workload, options)
  return E.isLeft(work)
    ? work
    : E.right({ work: work.right, limits: await limitsOf(options.client, work.right) })
}

const isRan = (event: RunProgress | Ran): event is Ran => 'verdict' in event

/** Measures the peers, one after the other. */
const contend = (
  settings: BenchSettings,
  sandbox: SandboxSettings,
  { result, work, limits }: OwnMeasurement,
): Observable<BenchEvent> => {
  const programs = programsOf(settings, result, work, limits)
  const running = programs.filter((program) => 'command' in program).length
  const duration = Math.min(
    settings.duration,
    Math.floor((settings.duration * CONTENDERS_PART) / Math.max(1, running)),
  )
  const judging = { sandbox, ceiling: result.ceiling, duration, timer: steadyTimer(settings.timer) }
  const peers: Array<BenchPeer> = []
  const keep = (peer: BenchPeer): void => {
    peers.push(peer)
  }
  const elapsing = (name: string): Observable<BenchEvent> =>
    timer(0, SECOND, judging.timer).pipe(
      map((seconds) => Math.min(seconds * SECOND, duration)),
      map((elapsed) => E.right({ _tag: 'PeerProgress', name, elapsed, duration })),
    )
  const all = from(programs).pipe(
    concatMap((program) =>
      'command' in program
        ? elapsing(program.name).pipe(takeUntil(judge(program, judging).pipe(tap(keep))))
        : of(program).pipe(tap(keep), ignoreElements()),
    ),
  )
  const measured = defer(() =>
    of<BenchEvent>(E.right({ _tag: 'Measured', result: { ...result, peers } })),
  )
  return concat(all, measured)
}

const programsOf = (
  { peers, against }: BenchSettings,
  { answer, ceiling }: BenchResult,
  { paths }: Work,
  { concurrency }: RunLimits,
): ReadonlyArray<PeerProgram | BenchPeer> => {
  const { perSecond } = ceiling
  // a loop without a limiter stays below the limit only because of its concurrency
  const width = Math.max(1, Math.floor((perSecond * (answer.p50 ?? 0)) / 1_000))
  const peer = (name: (typeof PEERS)[number]): PeerProgram | BenchPeer =>
    paths.length === 0
      ? leftOut(name, 'only read workloads are compared')
      : (peerProgram(name, { paths, perSecond, concurrency, width }) ??
        leftOut(name, 'not installed'))
  return [
    ...(peers ? PEERS.map(peer) : []),
    ...(against === undefined ? [] : [userProgram(against)]),
  ]
}
