/** The public names of each subpath, so that a change of surface shows in the diff. */
import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const root = new URL('../', import.meta.url)

const packed = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))

/** The source of a subpath of the package: `./stream` is `src/stream/index.ts`. */
const sources: ReadonlyMap<string, URL> = new Map(
  Object.entries<{ readonly default?: string }>(packed.exports).flatMap(([path, target]) =>
    target.default === undefined
      ? []
      : [[path, new URL(target.default.replace('./dist/', 'src/').replace(/js$/, 'ts'), root)]],
  ),
)

const values = async (path: string): Promise<ReadonlyArray<string>> =>
  Object.keys(await import(String(sources.get(path)))).sort()

it('the package has these subpaths, and each has a source', () => {
  expect([...sources.keys()]).toMatchInlineSnapshot(`
    [
      ".",
      "./decode",
      "./export",
      "./sandbox",
      "./scheduler",
      "./stream",
      "./webhooks",
    ]
  `)
  for (const [path, source] of sources) expect([path, existsSync(source)]).toEqual([path, true])
})

it('payments-rx has these values', async () => {
  expect(await values('.')).toMatchInlineSnapshot(`
    [
      "BatchFilter",
      "BatchItem",
      "BatchStatus",
      "BatchTransfer",
      "Beneficiary",
      "Bin",
      "Charge",
      "ChargeFilter",
      "ChargeReason",
      "ChargeStatus",
      "EventName",
      "ExpiringQuota",
      "IndustryCategory",
      "Instant",
      "InvalidConversionDates",
      "InvalidOption",
      "NewBatchItem",
      "NewBatchTransfer",
      "NewCharge",
      "NewWebhook",
      "OrderItem",
      "OrderUpload",
      "PaymentsError",
      "Quota",
      "SupportedCurrencies",
      "Webhook",
      "WebhookWithSecret",
      "api",
      "byCursor",
      "byNumber",
      "codes",
      "collect",
      "concatChain",
      "createClient",
      "endpoint",
      "eventNames",
      "fieldErrors",
      "fromDate",
      "fromMinorUnits",
      "hasCode",
      "industriesUnder",
      "industryKindOf",
      "isDuplicate",
      "isInProgress",
      "isShortOfMoney",
      "kyTransport",
      "left",
      "lefts",
      "limits",
      "mapLeft",
      "mapRight",
      "mergeChain",
      "minorUnitsOf",
      "orElse",
      "orThrow",
      "retry",
      "right",
      "rights",
      "rule",
      "tally",
      "tiers",
      "toDate",
      "toError",
      "toMinorUnits",
      "toTaskEither",
      "unlimited",
      "until",
      "wasRecovered",
    ]
  `)
})

it('payments-rx/stream has these values', async () => {
  expect(await values('./stream')).toMatchInlineSnapshot(`
    [
      "InvalidOption",
      "PAUSES",
      "ahead",
      "asTheyCome",
      "collect",
      "concatChain",
      "consume",
      "exponential",
      "inParallel",
      "iterate",
      "left",
      "lefts",
      "mapLeft",
      "mapRight",
      "mergeChain",
      "observe",
      "orElse",
      "orThrow",
      "paged",
      "paginate",
      "parallel",
      "pullOf",
      "retry",
      "right",
      "rights",
      "snapshot",
      "someOf",
      "tally",
      "toTaskEither",
      "until",
      "views",
      "wholeOf",
    ]
  `)
})

it('payments-rx/scheduler has these values', async () => {
  expect(await values('./scheduler')).toMatchInlineSnapshot(`
    [
      "InvalidOption",
      "concurrency",
      "createScheduler",
      "rate",
      "refusalDefaults",
      "schedule",
      "shared",
    ]
  `)
})

it('payments-rx/decode has these values', async () => {
  expect(await values('./decode')).toMatchInlineSnapshot(`
    [
      "InvalidOption",
      "causes",
      "compile",
      "digitsOf",
      "drift",
      "explain",
      "fromMinorUnits",
      "minorUnitsOf",
      "open",
      "parseExact",
      "toMinorUnits",
    ]
  `)
})

it('payments-rx/sandbox has these values', async () => {
  expect(await values('./sandbox')).toMatchInlineSnapshot(`
    [
      "FAULT_HEADER",
      "InvalidOption",
      "createSandbox",
      "faultNames",
      "listen",
      "sandboxCredentials",
      "sandboxDefaults",
      "sandboxPartner",
      "virtualTime",
    ]
  `)
})

it('payments-rx/export has these values', async () => {
  expect(await values('./export')).toMatchInlineSnapshot(`
    [
      "CannotRun",
      "Disturbed",
      "DoesNotFit",
      "InvalidOption",
      "NotTheSame",
      "Unreadable",
      "Unsupported",
      "accountOf",
      "compressions",
      "exportList",
      "formatNames",
      "formatOf",
      "fromList",
      "fromSnapshot",
      "isDestinationMark",
      "isFolder",
      "jsonLines",
      "knownColumns",
      "lastComplete",
      "mapRows",
      "openFile",
      "openStream",
      "partName",
      "pathsOf",
      "readManifest",
      "runExport",
      "sift",
      "targetOf",
      "thisProcess",
      "toFile",
      "toFolder",
      "toStream",
      "verify",
    ]
  `)
})

it('payments-rx/webhooks has these values', async () => {
  expect(await values('./webhooks')).toMatchInlineSnapshot(`
    [
      "InvalidOption",
      "WebhookEvent",
      "createReceiver",
      "createVerifier",
      "defaultScheme",
      "hmac",
      "payloadOf",
      "sign",
    ]
  `)
})
