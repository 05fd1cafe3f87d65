import { writeFile } from 'node:fs/promises'
import { Ajv } from 'ajv'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  type Listening,
  listen,
  sandboxCredentials,
  sandboxPartner,
} from '../../src/sandbox/index.js'
import { cli, folder } from './support.js'

const file = await folder()

interface Message {
  readonly type: string
  readonly stream: string
  readonly schema: object
  readonly record: Readonly<Record<string, unknown>>
  readonly value: {
    readonly bookmarks: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  }
  readonly key_properties: ReadonlyArray<string>
  readonly time_extracted: string
}

const messagesOf = (stdout: string): ReadonlyArray<Message> =>
  stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

const recordsOf = (messages: ReadonlyArray<Message>, stream: string) =>
  messages.flatMap((message) =>
    message.type === 'RECORD' && message.stream === stream ? [message.record] : [],
  )

const lastState = (messages: ReadonlyArray<Message>) => messages.at(-1)?.value

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/** As Singer's targets check records; the precision is for sums of binary fractions, which have decimal steps. */
const ajv = () =>
  new Ajv({ strict: false, multipleOfPrecision: 6, formats: { 'date-time': RFC_3339 } })

const settingsOf = ({ url }: Listening) => ({
  base_url: url,
  client_id: sandboxCredentials.clientId,
  api_key: sandboxCredentials.apiKey,
  environment: 'sandbox',
})

const withConfig = async (config: object, ...args: ReadonlyArray<string>) => {
  await writeFile(file('config.json'), JSON.stringify(config))
  return cli(['tap', '--config', file('config.json'), ...args])
}

const json = async (name: string, content: unknown): Promise<string> => {
  await writeFile(file(name), JSON.stringify(content))
  return file(name)
}

let sandbox: Listening
beforeEach(async () => {
  sandbox = await listen({ charges: 4_500, batches: 5, limits: false, seed: 7 })
  return () => sandbox.close()
})

describe('messages', () => {
  it('are SCHEMA, then RECORDs that conform to it, then a STATE, for each list', async () => {
    const { status, stdout, stderr } = await withConfig(settingsOf(sandbox))
    const messages = messagesOf(stdout)
    const schemas = new Map(
      messages.filter(({ type }) => type === 'SCHEMA').map((one) => [one.stream, one.schema]),
    )
    expect([...schemas.keys()]).toEqual(['charges', 'batch_transfers', 'batch_items', 'webhooks'])
    const validate = new Map([...schemas].map(([name, schema]) => [name, ajv().compile(schema)]))
    const wrong = messages.filter(
      ({ type, stream, record }) => type === 'RECORD' && validate.get(stream)?.(record) !== true,
    )
    expect(wrong).toEqual([])
    expect(recordsOf(messages, 'charges')).toHaveLength(4_500)
    expect(new Set(recordsOf(messages, 'charges').map(({ id }) => id)).size).toBe(4_500)
    expect(recordsOf(messages, 'batch_transfers')).toHaveLength(5)
    expect(messages.at(-1)?.type).toBe('STATE')
    expect({ status, stderr: stderr.replace(/[\d,]+ records/, 'N records') }).toEqual({
      status: 0,
      stderr: 'payments-rx: N records\n',
    })
  })

  it('have a STATE only behind the rows that it covers, and never an empty one', async () => {
    const messages = messagesOf((await withConfig(settingsOf(sandbox))).stdout)
    const states = messages.flatMap((message, i) =>
      message.type === 'STATE' ? [{ i, value: message.value }] : [],
    )
    expect(states.length).toBeGreaterThan(4)
    for (const { value } of states) expect(Object.keys(value.bookmarks).length).toBeGreaterThan(0)
    for (const { i, value } of states) {
      // what it says is left, and what was written before it, is everything
      const again = await withConfig(
        settingsOf(sandbox),
        ...['--state', await json('state.json', value)],
      )
      const ids = [
        ...recordsOf(messages.slice(0, i), 'charges'),
        ...recordsOf(messagesOf(again.stdout), 'charges'),
      ]
      expect(new Set(ids.map(({ id }) => id)).size).toBe(4_500)
    }
  })

  it('write times as RFC 3339, and amounts that are multiples of their step', async () => {
    const messages = messagesOf((await withConfig(settingsOf(sandbox))).stdout)
    const [charge] = recordsOf(messages, 'charges')
    expect(charge?.created_at).toMatch(RFC_3339)
    const [schema] = messages
    expect(schema).toMatchObject({
      ...{
        type: 'SCHEMA',
        stream: 'charges',
        key_properties: ['id'],
        bookmark_properties: ['created_at'],
      },
      schema: {
        properties: {
          amount: { type: ['null', 'number'], multipleOf: 0.0001 },
          created_at: { type: ['null', 'string'], format: 'date-time' },
        },
      },
    })
  })

  it('name the batch of each item', async () => {
    const messages = messagesOf((await withConfig(settingsOf(sandbox))).stdout)
    const batches = new Set(recordsOf(messages, 'batch_transfers').map(({ id }) => id))
    const items = recordsOf(messages, 'batch_items')
    expect(items.length).toBeGreaterThan(0)
    expect(items.every(({ batch_transfer_id: id }) => batches.has(id))).toBe(true)
  })

  it('have no webhook secrets, in records or schema', async () => {
    const { clientId, clientSecret } = sandboxPartner
    const { stdout } = await withConfig({
      ...settingsOf(sandbox),
      ...{ partner_client_id: clientId, partner_client_secret: clientSecret },
    })
    expect(stdout).toContain('"stream":"partner_webhooks"')
    expect(stdout).not.toContain('secret')
  })
})

describe('the next run', () => {
  it('reads charges since the end of the last one, less the lookback', async () => {
    const first = messagesOf((await withConfig(settingsOf(sandbox))).stdout)
    const state = await json('state.json', lastState(first))
    const next = await withConfig({ ...settingsOf(sandbox), lookback_days: 0 }, '--state', state)
    expect(recordsOf(messagesOf(next.stdout), 'charges')).toEqual([])
    expect(messagesOf(next.stdout).at(-1)?.type).toBe('STATE')
  })

  it('is refused for another account, before anything is written', async () => {
    const first = messagesOf((await withConfig(settingsOf(sandbox))).stdout)
    const state = await json('state.json', lastState(first))
    const other = { ...settingsOf(sandbox), on_behalf_of: 'acct_2' }
    expect(await withConfig(other, '--state', state)).toEqual({
      status: 2,
      stdout: '',
      stderr:
        'payments-rx: the state of charges is of another account (base URL, client id, login-as, on-behalf-of)\n',
    })
  })

  it('is refused for a state of another tap', async () => {
    const state = await json('state.json', { bookmarks: { charges: { position: 'yesterday' } } })
    const { status, stderr } = await withConfig(settingsOf(sandbox), '--state', state)
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr:
        'payments-rx: --state: it should be the value of a STATE message of this tap, or {}\n',
    })
  })
})

describe('a catalog', () => {
  it('is printed by --discover, and selects streams and fields', async () => {
    const { stdout, status } = await withConfig(settingsOf(sandbox), '--discover')
    expect(status).toBe(0)
    const catalog = JSON.parse(stdout)
    const [charges] = catalog.streams
    charges.metadata[0].metadata.selected = true
    charges.metadata.push({
      breadcrumb: ['properties', 'reference'],
      metadata: { selected: false },
    })
    const path = await json('catalog.json', catalog)
    const messages = messagesOf((await withConfig(settingsOf(sandbox), '--catalog', path)).stdout)
    expect(messages.filter(({ type }) => type === 'SCHEMA').map(({ stream }) => stream)).toEqual([
      'charges',
    ])
    const records = recordsOf(messages, 'charges')
    expect(records).toHaveLength(4_500)
    expect(records.some((record) => 'reference' in record)).toBe(false)
    expect(JSON.stringify(messages[0])).not.toContain('"reference"')
  })

  it('has a type for each property, at every depth', async () => {
    const { stdout } = await withConfig(settingsOf(sandbox), '--discover')
    const untyped = (schema: unknown): ReadonlyArray<string> => {
      const { properties = {}, items } = Object(schema)
      const inner = Object.entries(properties).flatMap(([name, one]) =>
        Object(one).type === undefined ? [name] : untyped(one),
      )
      return items === undefined ? inner : [...inner, ...untyped(items)]
    }
    const { streams } = JSON.parse(stdout)
    expect(streams.flatMap(({ schema }: { schema: unknown }) => untyped(schema))).toEqual([])
  })

  it('may have streams of other versions that are not selected', async () => {
    const selected = [{ breadcrumb: [], metadata: { selected: true } }]
    const others = [{ breadcrumb: [], metadata: { selected: false } }]
    const streams = [
      { tap_stream_id: 'webhooks', metadata: selected },
      { tap_stream_id: 'of_another_version', metadata: others },
    ]
    const path = await json('catalog.json', { streams })
    expect((await withConfig(settingsOf(sandbox), '--catalog', path)).status).toBe(0)
    const wrong = await json('catalog.json', { streams: [{ ...streams[1], metadata: selected }] })
    const { status, stderr } = await withConfig(settingsOf(sandbox), '--catalog', wrong)
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining('selects a stream that is none of'),
    ])
  })

  it('may ask for the full table each time', async () => {
    const read = async (replication_method: string) => {
      const metadata = [{ breadcrumb: [], metadata: { selected: true } }]
      const catalog = { streams: [{ tap_stream_id: 'charges', replication_method, metadata }] }
      const catalogPath = await json('catalog.json', catalog)
      const args = ['--catalog', catalogPath]
      const first = messagesOf((await withConfig(settingsOf(sandbox), ...args)).stdout)
      const state = await json('state.json', lastState(first))
      const second = await withConfig(settingsOf(sandbox), ...args, '--state', state)
      return recordsOf(messagesOf(second.stdout), 'charges').length
    }
    expect(await read('FULL_TABLE')).toBe(4_500)
    expect(await read('INCREMENTAL')).toBeLessThan(4_500)
  })

  it('that asks for another method is refused', async () => {
    const metadata = [{ breadcrumb: [], metadata: { selected: true, 'replication-method': 'LOG' } }]
    const path = await json('catalog.json', { streams: [{ tap_stream_id: 'charges', metadata }] })
    const { status, stderr } = await withConfig(settingsOf(sandbox), '--catalog', path)
    expect([status, stderr]).toEqual([2, expect.stringContaining('replication_method of charges')])
  })

  it('that selects nothing is an error', async () => {
    const path = await json('catalog.json', { streams: [{ tap_stream_id: 'charges' }] })
    const { status, stderr } = await withConfig(settingsOf(sandbox), '--catalog', path)
    expect(status).toBe(2)
    expect(stderr).toBe(
      'payments-rx: --catalog selects no stream: set "selected": true in the metadata of one\n',
    )
  })
})

it.each(['', '{}', '{"bookmarks":{"charges":null}}', '{"bookmarks":null}'])(
  'takes a state of %j for none',
  async (text) => {
    await writeFile(file('state.json'), text)
    const { status, stdout } = await withConfig(settingsOf(sandbox), '--state', file('state.json'))
    expect(status).toBe(0)
    expect(recordsOf(messagesOf(stdout), 'charges')).toHaveLength(4_500)
  },
)

describe('a config', () => {
  it.each([
    [{ base_ulr: 'x' }, '--config has no setting "base_ulr": see payments-rx tap --help'],
    [{ api_key: 1 }, 'api_key of --config should be text that is not empty'],
    [
      { start_date: 'yesterday' },
      'start_date of --config should be an ISO 8601 time, such as 2026-01-31T12:00:00Z, or a date',
    ],
    [{ lookback_days: -1 }, 'lookback_days of --config should be a number of days from 0'],
  ])('is refused: %j', async (wrong, message) => {
    const { status, stdout, stderr } = await withConfig({ ...settingsOf(sandbox), ...wrong })
    expect({ status, stdout, stderr }).toEqual({
      status: 2,
      stdout: '',
      stderr: `payments-rx: ${message}\n`,
    })
  })

  it('that is no JSON is not repeated', async () => {
    await writeFile(file('config.json'), '{"api_key": "sk_live_1234"')
    const { status, stderr } = await cli(['tap', '--config', file('config.json')])
    expect(status).toBe(2)
    expect(stderr).toBe(`payments-rx: --config: ${file('config.json')} should be a JSON object\n`)
  })
})

it('leaves out a row that does not decode, says so, and ends with 1', async () => {
  const faults = ({ route, nth }: { readonly route: string; readonly nth: number }) =>
    route === 'GET /api/v1/charges' && nth === 1 ? ('malformed-row' as const) : undefined
  const faulty = await listen({ charges: 20, limits: false, faults })
  const { status, stdout, stderr } = await withConfig(settingsOf(faulty))
  await faulty.close()
  expect(recordsOf(messagesOf(stdout), 'charges')).toHaveLength(19)
  expect(stderr).toMatch(
    /^payments-rx: a row of charges is left out: .+\npayments-rx: \d+ records, 1 row left out\n$/,
  )
  expect(status).toBe(1)
})

it('ends with 1 and the reason when the service is gone, and the last state goes on', async () => {
  const faults = ({ route, nth }: { readonly route: string; readonly nth: number }) =>
    route === 'GET /api/v1/charges' && nth > 1 ? ('500' as const) : undefined
  const faulty = await listen({ charges: 4_500, limits: false, seed: 7, faults })
  const broken = await withConfig(settingsOf(faulty))
  const port = Number(new URL(faulty.url).port)
  await faulty.close()
  expect(broken.status).toBe(1)
  expect(broken.stderr).toMatch(/^payments-rx: .+\n$/)

  const repaired = await listen({ charges: 4_500, limits: false, seed: 7 }, { port })
  const before = messagesOf(broken.stdout)
  const state = await json('state.json', lastState(before))
  const after = messagesOf((await withConfig(settingsOf(repaired), '--state', state)).stdout)
  await repaired.close()
  const ids = [...before, ...after].flatMap(({ type, stream, record }) =>
    type === 'RECORD' && stream === 'charges' ? [record.id] : [],
  )
  expect([ids.length, new Set(ids).size]).toEqual([4_500, 4_500])
})
