/** The laws of destinations, over each of them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type S3Double, s3Double } from '../../../bench/services/s3Double.js'
import { playGames } from '../../../src/export/laws/games.js'
import { KeptRows } from '../../../src/export/laws/KeptRows.js'
import { Chance } from '../../../src/export/laws/nights.js'
import { Owner } from '../../../src/export/laws/Owner.js'
import { runs, SEED, sample } from '../../support/runs.js'
import { databases, folder as pathsIn } from '../sync/databases.js'
import {
  type Bucket,
  bucketKind,
  type Damage,
  databaseKind,
  file,
  folder,
  type Kind,
  mergedBucketKind,
  mergedKind,
  type OnDisk,
  onDisk,
} from './places.js'

/** Games that are played of each law, where they cost little, and where they go over a network. */
const GAMES = runs(4)
const FEW = runs(1)

let double: S3Double | undefined
const ways: Array<() => void> = []
beforeAll(async () => {
  double = await s3Double()
})
afterAll(async () => {
  for (const close of ways) close()
  await double?.close()
})
const bucket: Bucket = {
  double: () => {
    if (double === undefined) throw new Error('there is no bucket')
    return double
  },
  closing: (close) => {
    ways.push(close)
  },
}

const pathOf = pathsIn()

const onMemory: ReadonlyArray<OnDisk> = [
  file('rows.ndjson'),
  file('rows.ndjson.gz'),
  file('rows.ndjson.zst'),
  file('rows.json'),
  file('rows.csv'),
  file('rows.csv.gz'),
  file('rows.csv.zst'),
  file('rows.parquet'),
  folder({}),
  folder({ format: 'csv', compress: 'zstd', rotateRows: 3 }),
  folder({ format: 'parquet' }),
]

describe.each(
  sample(4, onMemory).map(
    (place) => [`${place.out} ${JSON.stringify(place.how ?? {})}`, place] as const,
  ),
)('%s', (_, kind) => {
  it('has the laws', () =>
    playGames(async () => onDisk(kind), { seed: SEED, games: GAMES, kinds: ['export'] }))

  it('has what its manifest says and nothing else, whenever a run or a restart was killed', () =>
    wholeness(kind))

  it('says that the disk is full, and goes on when there is room', () => fullDisk(kind))

  it('builds on no file that is cut, changed or gone', () => integrity(kind))
})

const others: ReadonlyArray<Kind> = [
  bucketKind(bucket, 'rows.ndjson'),
  bucketKind(bucket, 'rows.parquet'),
  bucketKind(bucket, 'rows/', { compress: 'zstd' }),
  mergedKind(pathOf, 'ndjson'),
  mergedKind(pathOf, 'parquet'),
  mergedBucketKind(bucket, 'ndjson'),
  ...databases().flatMap((database) => (database.isThere ? [databaseKind(database)] : [])),
]

it.each(sample(3, others))('$name has the laws', ({ make, kinds }) =>
  playGames(make, { seed: SEED, games: FEW, kinds }),
)

/** Ends of a run where files were damaged, or another run was there before. */
const REFUSALS = ['ChecksumMismatch', 'Damaged', 'OutputExists', 'NewerVersion', 'FileConflict']

/** A place with a list, and the operations of a run that nothing disturbs. */
const played = async (kind: OnDisk, chance: Chance) => {
  const [night] = chance.nights('export')
  if (night === undefined) throw new Error('no night')
  const place = onDisk(kind)
  await place.plant()
  const dry = new Owner()
  const whole = onDisk(kind)
  await whole.plant()
  await whole.run([night], dry, new KeptRows())
  await whole.expectWhole()
  const restart = new Owner()
  await whole.restart(night, restart)
  const run = (owner = new Owner()) => place.run([night], owner, new KeptRows())
  const stop = (names: ReadonlyArray<string>) => new Owner(chance.stopAmong(names))
  const expectRows = async (of = night): Promise<void> =>
    expect((await place.read()).map(({ key }) => key)).toEqual(
      of.pages.flat().map(({ key }) => key),
    )
  return { place, night, run, expectRows, stop, begins: dry.names, restarts: restart.names }
}

/** Kills a run, and another that restarts with fewer rows: whatever goes on leaves what its manifest says, and nothing else. */
const wholeness = async (kind: OnDisk): Promise<void> => {
  const chance = new Chance(SEED)
  for (let game = 0; game < GAMES; game++) {
    const { place, night, run, stop, expectRows, ...names } = await played(kind, chance)
    const killed = async (owner: Owner, going: Promise<unknown>): Promise<void> => {
      await Promise.race([owner.frozen, going])
      await place.killed?.()
    }
    const first = stop(names.begins)
    await killed(first, run(first))
    expect(await run()).toMatchObject({ isComplete: true })
    await expectRows()
    await place.expectWhole()
    const fewer = { ...night, pages: night.pages.slice(1) }
    const again = stop(names.restarts)
    await killed(again, place.restart(fewer, again))
    const resumed = await place.run([fewer], new Owner(), new KeptRows())
    const isOfBefore = resumed.isComplete && (await place.read()).length > fewer.pages.flat().length
    if (!resumed.isComplete) expect(REFUSALS).toContain(resumed.tag)
    if (!resumed.isComplete || isOfBefore) await place.restart(fewer)
    await expectRows(fewer)
    await place.expectWhole()
  }
}

/** Fills the disk: the error says so, and the run goes on when there is room. */
const fullDisk = async (kind: OnDisk): Promise<void> => {
  const chance = new Chance(SEED)
  for (let game = 0; game < GAMES; game++) {
    const { place, run, expectRows } = await played(kind, chance)
    place.fill(100 + chance.below(2_000))
    const end = await run()
    if (!end.isComplete)
      expect([end.tag, end.why]).toEqual(['WriteFailed', expect.stringMatching('ENOSPC')])
    await place.killed?.()
    expect(await run()).toMatchObject({ isComplete: true })
    await expectRows()
    await place.expectWhole()
  }
}

const DAMAGES: ReadonlyArray<Damage> = ['cut', 'changed', 'gone']

/** Damages a file of an owner that was killed: it is found, or the rows are right, and `restart` begins anew. */
const integrity = async (kind: OnDisk): Promise<void> => {
  const chance = new Chance(SEED)
  for (let game = 0; game < GAMES; game++) {
    const { place, night, run, stop, expectRows, begins } = await played(kind, chance)
    const owner = stop(begins)
    await Promise.race([owner.frozen, run(owner)])
    await place.killed?.()
    const files = place.files()
    const path = files[chance.below(files.length)]
    if (path === undefined) continue
    const isCut = (await place.read()).length < night.pages.flat().length
    await place.damage(path, DAMAGES[chance.below(DAMAGES.length)] ?? 'gone')
    const end = await run()
    if (!end.isComplete) expect(REFUSALS).toContain(end.tag)
    else if (isCut) await expectRows()
    expect(await place.restart(night)).toMatchObject({ isComplete: true })
    await expectRows()
  }
}
