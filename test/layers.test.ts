/**
 * The import graph of `src`, drawn from the import lines and held against what is drawn here: an arrow
 * that nobody expected shows in the diff, and so does one that is gone.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const src = fileURLToPath(new URL('../src', import.meta.url))

interface Import {
  /** From the top of `src`. */
  readonly file: string
  readonly from: string
}

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
)

const textOf = (file: string): string => readFileSync(join(src, file), 'utf8')

/** `import ... from`, `export ... from`, `import '...'` and `import('...')`. */
const IMPORT = /(?:\bfrom|^import|\bimport\s*\()\s*'([^'\s]+)'/gm

const imports: ReadonlyArray<Import> = files.flatMap((file) =>
  Array.from(textOf(file).matchAll(IMPORT), ([, from = '']) => ({ file, from })),
)

/** The files at the top that make up the client are one place; `fp.ts` and `index.ts` stand alone. */
const placeOf = (file: string): string => {
  const [first = '', ...rest] = file.split('/')
  if (rest.length > 0) return first
  return first === 'fp.ts' || first === 'index.ts' ? first : 'client'
}

/** Imports of a place. Each stands below those it names, so it can be read without the rest. */
const drawn: Readonly<Record<string, ReadonlyArray<string>>> = {
  'fp.ts': [],
  options: ['fp.ts'],
  decode: ['fp.ts', 'options'],
  report: ['decode'],
  codec: ['decode', 'fp.ts'],
  api: ['codec', 'fp.ts'],
  stream: ['fp.ts', 'options'],
  scheduler: ['fp.ts', 'options', 'stream'],
  quota: ['decode', 'options', 'scheduler', 'stream'],
  webhooks: ['codec', 'decode', 'fp.ts', 'options', 'stream'],
  http: ['api', 'codec', 'decode', 'fp.ts', 'options', 'scheduler', 'stream'],
  store: ['codec', 'decode', 'fp.ts', 'http', 'options', 'stream'],
  changes: ['codec', 'decode', 'fp.ts', 'http', 'options', 'store', 'stream'],
  client: ['api', 'changes', 'codec', 'decode', 'fp.ts', 'http', 'options', 'scheduler', 'stream'],
  'index.ts': ['api', 'changes', 'client', 'codec', 'decode', 'http', 'options', 'store', 'stream'],
  export: [
    ...['api', 'changes', 'codec', 'decode', 'fp.ts', 'http', 'options', 'report', 'store'],
    'stream',
  ],
  otel: ['api', 'client', 'fp.ts', 'http', 'options', 'scheduler', 'stream'],
  sandbox: [
    ...['api', 'codec', 'decode', 'fp.ts', 'http', 'options', 'scheduler', 'stream', 'webhooks'],
  ],
  bench: [
    ...['api', 'client', 'codec', 'decode', 'export', 'fp.ts', 'http', 'options', 'report'],
    ...['sandbox', 'scheduler', 'stream'],
  ],
  cli: [
    ...['bench', 'api', 'changes', 'client', 'codec', 'decode', 'export', 'fp.ts', 'http'],
    ...['options', 'report', 'sandbox', 'scheduler', 'store', 'stream'],
  ],
}

/** Imports of the folders of a place from the rest of it. */
const parts: Readonly<Record<string, ReadonlyArray<string>>> = {
  'scheduler/limiters': ['Clock.ts', 'JitterGuard.ts', 'SendBatch.ts'],
  'http/transport': [],
  'http/request': ['Failure.ts'],
  'http/answer': ['Failure.ts', 'secrets.ts', 'transport'],
  'http/list': [
    ...['ClientEvent.ts', 'ClientRuntime.ts', 'Failure.ts', 'answer', 'limits.ts', 'request'],
  ],
  'http/login': ['ClientRuntime.ts', 'Failure.ts', 'answer', 'request', 'transport'],
  'http/retry': ['ClientRuntime.ts', 'Failure.ts', 'answer'],
}

/** The rooms of `export`, and its files beside them: each imports only from those above it. */
const rooms: Readonly<Record<string, ReadonlyArray<string>>> = {
  'ExportError.ts': [],
  'rules.ts': [],
  location: [],
  column: ['ExportError.ts'],
  storage: ['ExportError.ts', 'location'],
  source: ['column'],
  format: ['column', 'storage'],
  transfer: ['ExportError.ts', 'column', 'format', 'source'],
  file: [
    ...['ExportError.ts', 'column', 'format', 'location', 'rules.ts', 'source', 'storage'],
    'transfer',
  ],
  read: ['ExportError.ts', 'column', 'file', 'format', 'location', 'rules.ts', 'storage'],
  folder: [
    ...['ExportError.ts', 'column', 'format', 'location', 'read', 'source', 'storage', 'transfer'],
  ],
  sql: ['ExportError.ts', 'column', 'location', 'source', 'transfer'],
  'ExportOptions.ts': ['ExportError.ts', 'format', 'rules.ts', 'source', 'transfer'],
  'beginExport.ts': ['ExportError.ts', 'file', 'source', 'transfer'],
  'givenDestination.ts': [
    ...['ExportOptions.ts', 'column', 'file', 'format', 'location', 'source', 'storage'],
    'transfer',
  ],
  'exportTo.ts': [
    ...['ExportError.ts', 'ExportOptions.ts', 'beginExport.ts', 'column', 'file', 'format'],
    ...['givenDestination.ts', 'location', 'source', 'transfer'],
  ],
  sync: [
    ...['ExportError.ts', 'ExportOptions.ts', 'column', 'file', 'folder', 'location', 'rules.ts'],
    ...['source', 'sql', 'storage', 'transfer'],
  ],
  'explain.ts': ['source', 'sync'],
  copy: [
    ...['ExportError.ts', 'file', 'format', 'location', 'read', 'rules.ts', 'sql', 'storage'],
    ...['sync', 'transfer'],
  ],
  'verify.ts': ['ExportError.ts', 'file', 'location', 'rules.ts', 'storage', 'transfer'],
  laws: ['ExportError.ts', 'transfer'],
  'index.ts': [
    ...['ExportError.ts', 'ExportOptions.ts', 'column', 'copy', 'explain.ts', 'exportTo.ts'],
    ...['file', 'format', 'laws', 'read', 'source', 'storage', 'sync', 'transfer', 'verify.ts'],
  ],
}

/** Every arrow from place to place, with the files it starts from. */
const arrows = (): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, ReadonlyArray<string>>()
  for (const { file, from } of imports) {
    if (!from.startsWith('.')) continue
    const target = relative(src, join(src, dirname(file), from)).replace(/\.js$/, '.ts')
    const arrow = `${placeOf(file)} -> ${placeOf(target)}`
    if (placeOf(file) !== placeOf(target)) found.set(arrow, [...(found.get(arrow) ?? []), file])
  }
  return found
}

/** Importers of a package, as places or as files. */
const importers = (name: string): ReadonlyArray<string> =>
  [
    ...new Set(
      imports
        .filter(({ from }) => from === name || from.startsWith(`${name}/`))
        .map(({ file }) => file),
    ),
  ].sort()

/** The files that each file imports. */
const targets = new Map(
  files.map((file) => [
    file,
    imports
      .filter((one) => one.file === file && one.from.startsWith('.'))
      .map(({ from }) => join(dirname(file), from).replace(/\.js$/, '.ts')),
  ]),
)

/** All files that come with a file: those that it imports, those that they import, and so on. */
const reached = (file: string, seen: Set<string> = new Set()): ReadonlySet<string> => {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const target of targets.get(file) ?? []) reached(target, seen)
  return seen
}

/** Outside imports of all files that come with a file. */
const packagesOf = (file: string): ReadonlyArray<string> =>
  imports
    .filter((one) => reached(file).has(one.file) && !one.from.startsWith('.'))
    .map(({ from }) => from)

const places = (named: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...new Set(named.map(placeOf)),
]

describe('src', () => {
  it('has no arrow that is not drawn', () => {
    const unexpected = [...arrows()].filter(([arrow]) => {
      const [from = '', to = ''] = arrow.split(' -> ')
      return !drawn[from]?.includes(to)
    })
    expect(Object.fromEntries(unexpected)).toEqual({})
  })

  it('uses every arrow that is drawn', () => {
    const used = arrows()
    const unused = Object.entries(drawn)
      .flatMap(([from, others]) => others.map((to) => `${from} -> ${to}`))
      .filter((arrow) => !used.has(arrow))
    expect(unused).toEqual([])
  })

  it('draws nothing that goes in a circle', () => {
    const order = Object.keys(drawn)
    for (const [place, others] of Object.entries(drawn)) {
      for (const other of others) {
        expect(`${other}: ${order.indexOf(other) < order.indexOf(place)}`).toBe(`${other}: true`)
      }
    }
  })

  /** Imports of a folder, or of a file beside it, from the rest of its place. */
  const importsOf = (part: string): ReadonlyArray<string> => {
    const [place] = part.split('/')
    const isInside = (file: string): boolean => file === part || file.startsWith(`${part}/`)
    const others = files
      .filter(isInside)
      .flatMap((file) => targets.get(file) ?? [])
      .filter((target) => target.startsWith(`${place}/`) && !isInside(target))
    return [...new Set(others.map((target) => target.split('/')[1] ?? ''))].sort()
  }

  it('draws the folders of the scheduler and of http', () => {
    const found = Object.keys(parts).map((part) => [part, importsOf(part)])
    expect(Object.fromEntries(found)).toEqual(parts)
  })

  it('draws the rooms of the exports, from the top down, none of more than 15 files', () => {
    const names = files.filter((file) => file.startsWith('export/')).map((file) => file.split('/'))
    const found = [...new Set(names.map(([, room = '']) => room))]
    const imported = found.map((room) => [room, importsOf(`export/${room}`)])
    expect(Object.fromEntries(imported)).toEqual(rooms)
    const order = Object.keys(rooms)
    const upward = Object.entries(rooms).flatMap(([room, others]) =>
      others.filter((other) => order.indexOf(other) > order.indexOf(room)),
    )
    expect(upward).toEqual([])
    const large = found.filter((room) => names.filter((name) => name[1] === room).length > 15)
    expect(large).toEqual([])
  })

  it('has no files that import each other', () => {
    const inCircle = files.filter((file) =>
      targets.get(file)?.some((target) => reached(target).has(file)),
    )
    expect(inCircle).toEqual([])
  })

  it('is drawn whole', () => {
    expect(new Set(files.map(placeOf))).toEqual(new Set(Object.keys(drawn)))
  })

  it('knows io-ts where the wire is described, and what is kept on a disk, and nowhere else', () => {
    for (const place of places(importers('io-ts'))) {
      expect(['decode', 'codec', 'api', 'store', 'changes', 'export']).toContain(place)
    }
  })

  it('describes the wire without rxjs', () => {
    for (const place of places(importers('rxjs'))) {
      expect(['decode', 'codec', 'api']).not.toContain(place)
    }
  })

  it('knows its tools in one file each', () => {
    expect(importers('ky')).toEqual(['http/transport/kyTransport.ts'])
    expect(importers('undici')).toEqual([])
    expect(importers('node:diagnostics_channel')).toEqual(['http/transport/connectionTracker.ts'])
    expect(places(importers('@opentelemetry'))).toEqual(['otel'])
    expect(places(importers('commander'))).toEqual(['cli'])
    expect(places([...importers('hono'), ...importers('@hono')])).toEqual(['sandbox'])
  })

  it('takes fp-ts through fp.ts', () => {
    const typeClasses = 'stream/either/instances.ts' // their types alone
    expect(importers('fp-ts')).toEqual(['fp.ts', typeClasses])
  })

  it.each([
    ['decode/index.ts', ['fp-ts', 'io-ts']],
    ['quota/index.ts', ['fp-ts', 'rxjs']],
    ['scheduler/index.ts', ['fp-ts', 'rxjs']],
    ['stream/index.ts', ['fp-ts', 'rxjs']],
    ['stream/either/index.ts', ['fp-ts', 'rxjs']],
    ['webhooks/index.ts', ['fp-ts', 'io-ts', 'rxjs']],
  ])('needs nothing of Node for %s', (file, expected) => {
    expect([...new Set(packagesOf(file).map((name) => name.split('/')[0]))].sort()).toEqual(
      expected,
    )
    const nodes = /\b(?:Buffer|setImmediate|clearImmediate)\b|\.(?:un)?ref\(\)/
    expect([...reached(file)].filter((one) => nodes.test(code(one)))).toEqual([])
  })

  it('needs of Node, for a client, what Bun, Deno and Workers have, too', () => {
    const nodes = packagesOf('index.ts').filter((name) => name.startsWith('node:'))
    expect([...new Set(nodes)].sort()).toEqual([
      ...['node:async_hooks', 'node:buffer', 'node:crypto', 'node:diagnostics_channel'],
    ])
  })

  it('knows the process on the command line only, and in few files that ask the runtime', () => {
    const knowing = files.filter((file) => /(?<![\w'./-])process\.\w|node:process/.test(code(file)))
    // variables of a connection and of a log, credentials of S3, and the runtime's async contexts
    const exceptions = [
      ...['client/fromEnv.ts', 'client/log.ts', 'store/S3Location.ts', 'stream/asyncContext.ts'],
      // measures this process, and starts others
      ...['bench/peerProcess.ts', 'bench/processes.ts', 'bench/sandboxProcess.ts'],
    ]
    expect(knowing).toEqual(expect.arrayContaining(exceptions))
    expect(places(knowing.filter((file) => !exceptions.includes(file)))).toEqual(['cli'])
  })

  it('reads no clock and draws no number but those it is handed', () => {
    const reading = files.filter((file) =>
      /\bDate\.now\(|\bMath\.random\(|new Date\(\)|\bperformance\.now\(|\bhrtime\b/.test(
        code(file),
      ),
    )
    // the default clock of durations
    expect(reading.filter((file) => placeOf(file) !== 'cli')).toEqual(['stream/steadyTimer.ts'])
  })

  it('has no file of more than 500 lines', () => {
    expect(files.filter((file) => textOf(file).split('\n').length > 500)).toEqual([])
  })
})

describe('the folders beside src', () => {
  const root = fileURLToPath(new URL('..', import.meta.url))

  /** The files of a folder, from the top of the repository, each with the files that it imports. */
  const graphOf = (folder: string): ReadonlyMap<string, ReadonlyArray<string>> => {
    const all = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    const own = all.filter(
      (file) => /(?<!\.d)\.(?:ts|vue)$/.test(file) && !/node_modules/.test(file),
    )
    return new Map(
      own.map((file) => {
        const path = join(folder, file)
        const text = readFileSync(join(root, path), 'utf8')
        const from = Array.from(text.matchAll(IMPORT), ([, from = '']) => from)
        const local = from.filter((one) => one.startsWith('.'))
        return [path, local.map((one) => join(dirname(path), one).replace(/\.js$/, '.ts'))]
      }),
    )
  }

  it.each(['bench', 'scripts', 'site', 'src'])('%s imports nothing of test', (folder) => {
    const taking = [...graphOf(folder)].filter(([, from]) =>
      from.some((file) => file.startsWith('test/')),
    )
    expect(taking).toEqual([])
  })

  it.each(['bench', 'scripts'])('%s has no file that imports itself in a circle', (folder) => {
    const graph = graphOf(folder)
    const reaches = (file: string, seen = new Set<string>()): ReadonlySet<string> => {
      for (const next of graph.get(file) ?? []) {
        if (!seen.has(next)) reaches(next, seen.add(next))
      }
      return seen
    }
    expect([...graph.keys()].filter((file) => reaches(file).has(file))).toEqual([])
  })
})

/** The text of a file without its comments. */
function code(file: string): string {
  return textOf(file).replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*/g, '')
}
