/** Files, links and objects of other programs, wherever a run writes: none is removed or replaced. */
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import * as fc from 'fast-check'
import { lastValueFrom, type Observable, takeWhile } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { s3Double } from '../../bench/services/s3Double.js'
import { exportTo, sync, verify } from '../../src/export/index.js'
import { E } from '../../src/fp.js'
import { createSandbox } from '../../src/sandbox/index.js'
import { idleClock } from '../support/idleClock.js'
import { runs } from '../support/runs.js'
import { sandboxClient } from '../support/sandboxClient.js'
import { tempFolder } from '../support/tempFolder.js'

const home = tempFolder()
let made = 0

const timer = idleClock
const payments = sandboxClient(createSandbox({ charges: 600, limits: false, timer }).fetch, {
  timer,
})

type Events = Observable<E.Either<{ readonly _tag: string }, { readonly pages: number }>>

/** A run that is left in the middle, and the ones after it; resolves with how the last one ended. */
const endOf = async (left: Events, ...others: ReadonlyArray<() => Events>): Promise<string> => {
  await lastValueFrom(left.pipe(takeWhile((event) => E.isRight(event) && event.right.pages < 2)), {
    defaultValue: undefined,
  })
  let end = ''
  for (const next of others) {
    const last = await lastValueFrom(next())
    end = E.isRight(last) ? 'complete' : last.left._tag
  }
  return end
}

/** The ways in which rows are written into a folder, or below a prefix. */
const writers = {
  'a sync': (to: string, env = {}) => {
    const once = () => sync(payments.charges, { to, env, timer, parallel: 1 })
    return endOf(once(), once, once)
  },
  'an export': (out: string, env = {}) => {
    const again = (begin: object) => () =>
      exportTo(payments.charges.snapshot().parallel(1), {
        ...{ out, env, timer, rotateRows: 250, ...begin },
      })
    return endOf(again({})(), again({ restart: true }), again({ restart: true }))
  },
} as const
const ways = ['a sync', 'an export'] as const

/** Names that no run gives its files, however alike. */
const alike = [
  'notes.txt',
  'charges-notes.txt',
  'charges-0123456789ab.csv',
  'charges-0123456789ab.ndjson.zst.bak',
  'charges-0123456789AB.ndjson.zst',
  'charges-0123456789abc.ndjson.zst',
  'webhooks-0123456789ab.ndjson.zst',
  'part-00001-001.ndjson.bak',
  'Part-00001-001.ndjson',
  'pаrt-00001-001.ndjson', // of another alphabet
  'part-00001-001.ndjson\n',
  'part-00001-001.ndjson.0123456789ab.part.part',
  'rejects-.ndjson',
  '_checkpoint.json.old',
  '_checkpoint.json.0123456789ab.tmp.tmp',
  '_manifest.json.bak',
  '_incoming/upload.csv',
  '_incoming/0123456789ab.csv',
  '_incoming/0123456789abc.ndjson.zst',
  '_incoming/0123456789ab.ndjson.zst\n',
  '_incoming/charges-0123456789ab.ndjson.zst',
  '_incoming/2026/0123456789ab.ndjson.zst',
  '_incoming/_incoming/0123456789ab.ndjson.zst',
  'below/charges-0123456789ab.ndjson.zst',
  'below/part-00001-001.ndjson',
  'part-00001-001.ndjson.chunks/notes',
  'part-00001-001.ndjson.chunks/000001/more',
] as const

/** Names that runs do give: of a link, or a folder, they are of another program. */
const own = [
  'charges-0123456789ab.ndjson.zst',
  '_incoming/0123456789ab.ndjson.zst',
  'part-00001-001.ndjson',
  '_incoming/part-00001-001.ndjson.0123456789ab.part',
  '_incoming/rejects.ndjson',
  '_incoming/rejects.ndjson.0123456789ab.part',
  '_checkpoint.json',
  '_incoming/keys.0123456789ab.part',
  '_checkpoint.json.0123456789ab.tmp',
  '_manifest.json',
  '_manifest.json.0123456789ab.tmp',
] as const

const foreign = fc.oneof(
  fc.record({ kind: fc.constant('file' as const), name: fc.constantFrom(...alike) }),
  fc.record({ kind: fc.constantFrom('link', 'folder'), name: fc.constantFrom(...own, ...alike) }),
)

const several = fc.uniqueArray(foreign, {
  maxLength: 6,
  selector: ({ name }) => name.split('/')[0],
})

/** All that is in a folder, by its path: what a file has, and where a link leads. */
const inventory = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => {
      const path = join(folder, name)
      const found = lstatSync(path)
      if (found.isSymbolicLink()) return [name, `-> ${readlinkSync(path)}`]
      return [name, found.isDirectory() ? 'folder' : readFileSync(path, 'latin1')]
    }),
  )

describe.each(ways)('%s in a folder', (way) => {
  it('leaves files, links and folders of other programs as they are', () =>
    fc.assert(
      fc.asyncProperty(several, async (all) => {
        const [folder, elsewhere] = [`${join(home, `${++made}`)}/`, join(home, `${made}-other`)]
        for (const place of [folder, elsewhere]) mkdirSync(place)
        writeFileSync(join(elsewhere, 'precious'), 'precious')
        for (const { kind, name } of all) {
          const path = join(folder, name)
          mkdirSync(dirname(path), { recursive: true })
          if (kind === 'file') writeFileSync(path, `mine: ${name}`)
          else if (kind === 'link') symlinkSync(join(elsewhere, 'precious'), path)
          else mkdirSync(path)
          if (kind === 'folder') writeFileSync(join(path, 'inside'), 'mine')
        }
        const before = inventory(folder)
        const end = await writers[way](folder)
        expect([...inventory(folder)]).toEqual(expect.arrayContaining([...before]))
        expect(readFileSync(join(elsewhere, 'precious'), 'utf8')).toBe('precious')
        if (all.every(({ kind }) => kind === 'file')) expect(end).toBe('complete')
      }),
      { numRuns: runs(3) },
    ))

  it('is refused where its own folder for rows under way is a link to another one', async () => {
    const [folder, elsewhere] = [join(home, `${++made}`), join(home, `${made}-other`)]
    for (const place of [folder, join(elsewhere, '_incoming')])
      mkdirSync(place, { recursive: true })
    writeFileSync(join(elsewhere, '_incoming/0123456789ab.ndjson.zst'), 'of another sync')
    symlinkSync(join(elsewhere, '_incoming'), join(folder, '_incoming'))
    const before = inventory(elsewhere)
    await writers[way](`${folder}/`)
    expect([...inventory(elsewhere)]).toEqual([...before])
  })
})

describe.each(ways)('%s in a bucket', (way) => {
  it('leaves objects of other programs as they are, by whatever key', () =>
    fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(
          fc.oneof(
            fc.constantFrom(
              ...alike,
              ...own.flatMap((name) => [`/${name}`, `./${name}`, `x/../${name}`, `${name}/`]),
              '_incoming//0123456789ab.ndjson.zst',
              '_incoming/../charges-0123456789ab.ndjson.zst',
              '_incoming/',
            ),
            fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
          ),
          { maxLength: 8 },
        ),
        fc.constantFrom('', 'lake/', 'a b/ü/'),
        async (keys, prefix) => {
          const bucket = await s3Double()
          try {
            for (const key of keys) bucket.put(`${prefix}${key}`, `mine: ${key}`)
            const before = [...bucket.objects].map(([key, body]) => [key, `${body}`])
            expect(await writers[way](`s3://bucket/${prefix}`, bucket.env)).toBe('complete')
            const after = [...bucket.objects].map(([key, body]) => [key, `${body}`])
            expect(after).toEqual(expect.arrayContaining(before))
          } finally {
            await bucket.close()
          }
        },
      ),
      { numRuns: runs(1) },
    ))
})

it('a sync of a whole bucket leaves one below it alone, and the other way round', async () => {
  const bucket = await s3Double()
  const places = ['s3://bucket/lake/', 's3://bucket/lake/x/', 's3://bucket/lake/_incoming/']
  for (const to of places) expect(await writers['a sync'](to, bucket.env)).toBe('complete')
  for (const to of places) {
    const again = sync(payments.charges, { to, env: bucket.env, timer })
    expect(await lastValueFrom(again)).toMatchObject({ right: { ended: true } })
  }
  for (const to of places) {
    const checks = verify(to, { env: bucket.env })
    expect(await lastValueFrom(checks)).toMatchObject({ right: { differences: [] } })
  }
  await bucket.close()
})
