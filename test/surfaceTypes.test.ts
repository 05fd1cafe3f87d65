/** The public types, as they stand in the export lines of an index. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const types = (index: string): ReadonlyArray<string> =>
  Array.from(
    readFileSync(new URL(`../src/${index}`, import.meta.url), 'utf8').matchAll(
      /export (type )?\{([^}]*)\}/g,
    ),
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
  expect(types('index.ts')).toMatchInlineSnapshot(`
    [
      "Ambiguous",
      "AnyFailure",
      "CallOptions",
      "Chunk",
      "Client",
      "ClientEvent",
      "ClientOf",
      "ClientOptions",
      "Credentials",
      "DriftFact",
      "Endpoint",
      "Failure",
      "Fetch",
      "HttpRequest",
      "HttpResponse",
      "InvalidRequest",
      "Limits",
      "List",
      "ListOptions",
      "ListPlan",
      "ObservableEither",
      "Page",
      "Paged",
      "Position",
      "RateLimitKey",
      "Refused",
      "Rule",
      "ServerFault",
      "Snapshot",
      "SnapshotFailure",
      "SnapshotFilter",
      "SnapshotPosition",
      "Throttled",
      "TimedOut",
      "Timeout",
      "TokenSource",
      "Transport",
      "TransportError",
      "Truncated",
      "Unauthorized",
      "Undecodable",
      "Unreachable",
    ]
  `)
})

it('payments-rx/export has these types', () => {
  expect(types('export/index.ts')).toMatchInlineSnapshot(`
    [
      "Account",
      "Begin",
      "Begun",
      "Bounds",
      "Bytes",
      "Checked",
      "ColumnProblem",
      "ColumnType",
      "Compression",
      "Destination",
      "DestinationMark",
      "Difference",
      "Drainable",
      "Encoder",
      "ExportOptions",
      "FileOptions",
      "FileSummary",
      "Files",
      "Format",
      "FormatName",
      "FormatOptions",
      "Handle",
      "JsonLinesOptions",
      "Kept",
      "KnownColumn",
      "Manifest",
      "ManifestFile",
      "ManifestRun",
      "MappedPage",
      "Mark",
      "Misfit",
      "Naming",
      "Numbers",
      "Obstacle",
      "Owner",
      "PartMark",
      "Paths",
      "Progress",
      "Purpose",
      "Reject",
      "Resumable",
      "Rotation",
      "RowFile",
      "RowStream",
      "RunOptions",
      "RunProgress",
      "Runner",
      "Sifted",
      "Sink",
      "SmallFiles",
      "Sorting",
      "Source",
      "StreamOptions",
      "Target",
      "TargetOptions",
      "ToFileOptions",
      "ToFolderOptions",
      "VerifyOptions",
      "Wanted",
      "Watched",
    ]
  `)
})
