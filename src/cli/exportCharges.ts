import { endWith, firstValueFrom, ignoreElements, race, tap } from 'rxjs'
import { createClient } from '../client.js'
import type { ChargeFilter, ChargeStatus } from '../codec/Charge.js'
import { exportList, ndjson } from '../export/index.js'
import type { Guard } from '../scheduler/index.js'
import { conclusion, writeFailure } from './conclusion.js'
import { type Connection, type ConnectionFlags, connection, environmentOf } from './connection.js'
import { count, EMPTY_METER, progressed, summary } from './Meter.js'
import { watch } from './progress/Reading.js'
import { target } from './Target.js'
import { COMPLETE, STATUS, type Terminal, WrongUse } from './Terminal.js'
import { type Shown, view } from './view.js'

// model

export interface ExportFlags extends ConnectionFlags, Shown {
  readonly out: string
  readonly from?: string
  readonly to?: string
  readonly status?: ChargeStatus
  readonly currency?: string
  readonly source?: string
  readonly requestId?: string
  readonly pageSize: number
  readonly guard: Guard
  readonly sandbox?: boolean
  readonly rows?: number
}

/** An export is in no hurry to give up: faults are waited for about half a minute. */
const FAULTS = 5

/** For whoever has seen the sandbox's charges. */
const NEXT =
  'next: PAYMENTS_BASE_URL, PAYMENTS_CLIENT_ID and PAYMENTS_API_KEY of your account in place of --sandbox; ' +
  'all options: npx payments-rx export charges --help\n'

// the command

/** Answers with the exit status. Throws `WrongUse`, and what can only be a bug. */
export const exportCharges = async (terminal: Terminal, flags: ExportFlags): Promise<number> => {
  if (flags.sandbox !== true) {
    if (flags.rows !== undefined) throw new WrongUse('--rows goes with --sandbox')
    return exportFrom(terminal, flags, connection(flags, terminal.env))
  }
  const environment = environmentOf(flags, terminal.env)
  const { listen, sandboxCredentials } = await import('../sandbox/index.js') // or not, to start fast
  const server = await listen({
    environment,
    ...(flags.rows === undefined ? {} : { charges: flags.rows }),
  })
  try {
    const credentials = sandboxCredentials
    const to = { environment, credentials, baseUrl: server.url }
    const status = await exportFrom(terminal, flags, to)
    if (status === COMPLETE && !flags.quiet) terminal.stderr.write(NEXT)
    return status
  } finally {
    await server.close()
  }
}

const exportFrom = async (
  terminal: Terminal,
  flags: ExportFlags,
  connection: Connection,
): Promise<number> => {
  const { timer } = terminal
  const payments = createClient({
    ...connection,
    guard: flags.guard,
    priority: 'bulk',
    retry: { faults: FAULTS },
    timer,
  })
  const to = target(terminal, flags.out)
  const started = timer.now()
  let meter = EMPTY_METER
  const watching = watch({ client: payments, meter: () => meter, timer })
  const shown = view(terminal, flags, watching)

  const counting = payments.events.subscribe((event) => {
    meter = count(meter, event)
    if (event._tag === 'Repeating') {
      shown.say(`waiting ${(event.ms / 1_000).toFixed(1)} s: ${event.failure.message}`)
    }
  })
  const run = exportList({ sink: ndjson(to.rows), rejects: ndjson(to.rejects) })(
    payments.charges.list(filter(flags)),
  ).pipe(
    tap((progress) => {
      meter = progressed(progress)(meter)
    }),
    ignoreElements(),
    endWith(undefined),
  )

  const { status, reason } = await firstValueFrom(race(run, terminal.signals))
    .then(async (stopped) => {
      await to.rows.close()
      return conclusion(meter, stopped, to)
    })
    .catch((error: unknown) => writeFailure(error, to))
    .finally(async () => {
      counting.unsubscribe()
      await to.rows.close()
      await to.rejects.close()
    })
  const told = summary(meter, timer.now() - started, to.name)
  shown.end(
    status === STATUS.SIGPIPE
      ? undefined
      : { status, summary: told, ...(reason === undefined ? {} : { reason }) },
  )
  watching.close()
  return status
}

const filter = ({
  from,
  to,
  status,
  currency,
  source,
  requestId,
  pageSize,
}: ExportFlags): ChargeFilter => ({
  page_size: pageSize,
  ...(from === undefined ? {} : { from_created_at: from }),
  ...(to === undefined ? {} : { to_created_at: to }),
  ...(status === undefined ? {} : { status }),
  ...(currency === undefined ? {} : { currency }),
  ...(source === undefined ? {} : { source }),
  ...(requestId === undefined ? {} : { request_id: requestId }),
})
