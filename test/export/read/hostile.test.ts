/** Files that were damaged, cut off, or made to harm: `readRows` tells it, and neither throws nor fills memory. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import zlib from 'node:zlib'
import * as fc from 'fast-check'
import { lastValueFrom, take, toArray } from 'rxjs'
import { beforeAll, describe, expect, it } from 'vitest'
import { exportTo, readRows, verify } from '../../../src/export/index.js'
import { E } from '../../../src/fp.js'
import { Charge } from '../../../src/index.js'
import { createSandbox } from '../../../src/sandbox/index.js'
import { idleClock } from '../../support/idleClock.js'
import { isWhole, runs, sample } from '../../support/runs.js'
import { sandboxClient } from '../../support/sandboxClient.js'
import { tempFolder } from '../../support/tempFolder.js'

const home = tempFolder()

const NAMES = [
  'c.ndjson',
  'c.ndjson.gz',
  'c.ndjson.zst',
  'c.json',
  'c.json.gz',
  'c.csv',
  'c.csv.zst',
  'c.parquet',
] as const

beforeAll(async () => {
  const timer = idleClock
  const payments = sandboxClient(createSandbox({ charges: 60, limits: false, timer }).fetch, {
    timer,
  })
  for (const name of NAMES) {
    await lastValueFrom(exportTo(payments.charges.snapshot(), { out: join(home, name), timer }))
  }
})

const file = (name: string, content: string | Uint8Array): string => {
  const path = join(home, name)
  writeFileSync(path, content)
  return path
}

const read = async (path: string) => {
  const all = await lastValueFrom(readRows(path, { codec: Charge }).pipe(toArray()))
  return {
    rows: all.filter(E.isRight).length,
    failures: all.filter(E.isLeft).map(({ left }) => left),
  }
}

describe.each(sample(4, NAMES))('a file %s', (name) => {
  it('is read whole', async () => {
    expect(await read(join(home, name))).toEqual({ rows: 60, failures: [] })
  })

  it('that was cut off anywhere is told, and has no more rows than were there', () =>
    fc.assert(
      fc.asyncProperty(fc.double({ min: 0, max: 0.999, noNaN: true }), async (share) => {
        const bytes = readFileSync(join(home, name))
        const cut = bytes.subarray(0, Math.floor(bytes.length * share))
        const { rows, failures } = await read(file(`cut-${name}`, cut))
        expect(rows).toBeLessThanOrEqual(60)
        expect(
          failures.every(({ _tag }) =>
            ['Damaged', 'UnreadableRow', 'ChecksumMismatch'].includes(_tag),
          ),
        ).toBe(true)
      }),
      { numRuns: runs(40) },
    ))

  it('whose bits were flipped, or bytes replaced, is read or told, and throws nothing', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({ at: fc.double({ min: 0, max: 0.9999, noNaN: true }), byte: fc.nat(255) }),
          { minLength: 1, maxLength: 6 },
        ),
        fc.boolean(),
        async (changes, isAtEnd) => {
          const bytes = Buffer.from(readFileSync(join(home, name)))
          // the last bytes of a Parquet file are its footer
          const from = isAtEnd ? Math.max(0, bytes.length - 900) : 0
          for (const { at, byte } of changes)
            bytes[from + Math.floor((bytes.length - from) * at)] = byte
          const { rows } = await read(file(`flipped-${name}`, bytes))
          expect(rows).toBeLessThanOrEqual(70)
        },
      ),
      { numRuns: runs(60) },
    ))
})

/** Size of a line that hardly takes space, in MiB: a row has 32 at most. */
const BOMB = isWhole ? 1_024 : 64

const ROW = '{"id":"chg_1"}\n'

describe('a file made to harm', () => {
  it.each([
    [
      `has one line of ${BOMB} MiB, in gzip`,
      'bomb.ndjson.gz',
      () => zlib.gzipSync(Buffer.alloc(BOMB << 20, 97), { level: 1 }),
      'has a row of more than',
    ],
    [
      `has one line of ${BOMB} MiB, in zstd`,
      'bomb.ndjson.zst',
      () => zlib.zstdCompressSync(Buffer.alloc(BOMB << 20, 97)),
      'has a row of more than',
    ],
    ['has a 40 MiB line', 'l.ndjson', () => `${'a'.repeat(40 << 20)}\n`, 'has a row of more than'],
    ['has a cell that does not end', 'cell.csv', () => `id\n"${'a'.repeat(40 << 20)}`, 'row'],
    ['has a cell of quotes', 'q.csv', () => `id\n"${'a""'.repeat(3_000_000)}`, 'ends within a row'],
    ['has 1e5 columns', 'c.csv', () => `${'a,'.repeat(1e5)}b\n1\n`, 'has more than 1000 columns'],
    ['has a deep name', 'n.csv', () => `id,${'.'.repeat(20_000)}\n1,2\n`, 'a longer name than any'],
    [
      'has 200,000 levels',
      'deep.ndjson',
      () => `{"id":${'['.repeat(200_000)}${']'.repeat(200_000)}}\n`,
      'should be JSON',
    ],
    [
      'is a frame of zstd without an end',
      'open.ndjson.zst',
      () => zlib.zstdCompressSync(ROW).subarray(0, -5),
      'is damaged',
    ],
    ['is nothing but the names of Parquet', 'magic.parquet', () => 'PAR1PAR1', 'is damaged'],
  ])('that %s is told', async (_, name, content, why) => {
    const { rows, failures } = await read(file(name, content()))
    expect(rows).toBe(0)
    expect(failures.at(-1)?.message).toContain(why)
  })

  it('does not change what other objects are', async () => {
    await read(
      file(
        'proto.ndjson',
        '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}\n',
      ),
    )
    await read(file('proto.csv', 'id,__proto__.polluted,constructor.prototype.polluted\n1,1,1\n'))
    expect(Object.create({})).not.toHaveProperty('polluted')
    expect({}).not.toHaveProperty('polluted')
  })

  it('with one large frame of zstd gives its first rows before the rest is decompressed', async () => {
    const line = readFileSync(join(home, 'c.ndjson'), 'utf8').split('\n')[0]
    const path = file('large.ndjson.zst', zlib.zstdCompressSync(`${line}\n`.repeat(1_000_000)))
    const before = process.memoryUsage().rss
    const first = await lastValueFrom(readRows(path, { codec: Charge }).pipe(take(3), toArray()))
    expect(first.every(E.isRight)).toBe(true)
    expect(process.memoryUsage().rss - before).toBeLessThan(300 << 20) // the rows are 400 MB
  })

  it('is told by verify as well, whatever its manifest says', async () => {
    const manifest = JSON.parse(readFileSync(join(home, 'c.ndjson.manifest.json'), 'utf8'))
    for (const change of [{ run: null }, { run: 'x' }, { version: {} }, { sum: '' }]) {
      const path = file('m.ndjson.manifest.json', JSON.stringify({ ...manifest, ...change }))
      expect(await lastValueFrom(verify(path))).toMatchObject({ left: { _tag: 'Damaged' } })
    }
  })
})
