/** Beside undici's own instrumentation, over sockets: which span is in which. */
import { context, trace } from '@opentelemetry/api'
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici'
import { concatMap, lastValueFrom } from 'rxjs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { collect, createClient, orThrow, toError } from '../../src/index.js'
import { instrument } from '../../src/otel/index.js'
import { type Listening, listen, sandboxCredentials } from '../../src/sandbox/index.js'
import { collecting, outline, withContexts } from './collecting.js'

withContexts()

let sandbox: Listening
beforeAll(async () => {
  sandbox = await listen({ charges: 100, limits: false })
})
afterAll(() => sandbox.close())

it("a request of undici is in our request, and the caller's next call beside the one before", async () => {
  const { providers, tracer, trees } = collecting()
  const undici = new UndiciInstrumentation()
  undici.setTracerProvider(providers.tracerProvider)
  undici.enable()
  const payments = createClient({ baseUrl: sandbox.url, credentials: sandboxCredentials })
  const stop = instrument(payments, providers)
  const root = tracer.startSpan('caller')
  try {
    await context.with(trace.setSpan(context.active(), root), async () => {
      const list = payments.charges.list({ page_size: 10 })
      const charges = list.pipe(collect({ max: 100 }), orThrow(String))
      const retrieved = charges.pipe(
        concatMap(([first]) => payments.charges.retrieve({ id: first?.id ?? '' })),
        orThrow(toError),
      )
      await lastValueFrom(retrieved)
    })
  } finally {
    stop.unsubscribe()
    undici.disable()
    root.end()
  }
  const all = outline(trees())
  const page = '  charges.list\n    GET /api/v1/charges\n      GET\n'
  expect(all.match(/^ {2}\S.*$/gm)).toHaveLength(12)
  expect(all.startsWith('caller\n')).toBe(true)
  expect(all.split(page)).toHaveLength(11)
  expect(all).toContain(
    '  authentication.login\n    POST /api/v1/authentication/login\n      POST\n',
  )
  expect(all).toContain('  charges.retrieve\n    GET /api/v1/charges/{id}\n      GET\n')
})
