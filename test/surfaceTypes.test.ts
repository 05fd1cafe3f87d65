/** The public types, as they stand in the export lines of the index. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const index = readFileSync(new URL('../src/index.ts', import.meta.url), 'utf8')

const types: ReadonlyArray<string> = Array.from(
  index.matchAll(/export (type )?\{([^}]*)\}/g),
  ([, all, names = '']) =>
    names
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && (all !== undefined || name.startsWith('type ')))
      .map((name) => name.replace(/^type /, '').replace(/^.* as /, '')),
)
  .flat()
  .sort()

it('payments-rx has these types', () => {
  expect(types).toMatchInlineSnapshot(`
    [
      "Additions",
      "Ambiguous",
      "Answer",
      "AnyFailure",
      "Call",
      "CallOptions",
      "Cause",
      "Chunk",
      "Client",
      "ClientEvent",
      "ClientOf",
      "ClientOptions",
      "Codes",
      "CreateOnce",
      "Credentials",
      "DriftFact",
      "DriftKind",
      "Endpoint",
      "Environment",
      "Failure",
      "FieldError",
      "ForeignToken",
      "HttpRequest",
      "Identified",
      "InvalidRequest",
      "KyOptions",
      "Limits",
      "List",
      "ListGuard",
      "ListOptions",
      "ListPlan",
      "ListRow",
      "MinorUnitsFailure",
      "ObservableEither",
      "Outage",
      "Page",
      "Paged",
      "Paging",
      "PathName",
      "Place",
      "Position",
      "Refused",
      "Repeatable",
      "Route",
      "ServerFault",
      "Slice",
      "Slot",
      "Snapshot",
      "SnapshotFailure",
      "SnapshotFilter",
      "SnapshotPage",
      "SnapshotPosition",
      "Span",
      "Tally",
      "Throttled",
      "TimedOut",
      "Timeout",
      "TokenSource",
      "TooMany",
      "Transport",
      "Truncated",
      "Unauthorized",
      "Undecodable",
      "Unreachable",
      "UntilState",
      "Wait",
    ]
  `)
})
