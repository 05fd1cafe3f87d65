/** The laws of destinations, over each of them. */
import { afterAll, beforeAll, describe, it } from 'vitest'
import { type S3Double, s3Double } from '../../../bench/services/s3Double.js'
import { runs, SEED } from '../../support/runs.js'
import { databases, folder } from '../sync/databases.js'
import { type Kind, lawsOf } from './laws.js'
import {
  type Bucket,
  bucketKind,
  databaseKind,
  fileKind,
  folderKind,
  mergedBucketKind,
  mergedKind,
} from './places.js'

/** Games that are played of each law, where they cost little, and where they go over a network. */
const GAMES = runs(2)
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

const home = folder()

const onMemory: ReadonlyArray<Kind> = [
  fileKind('rows.ndjson'),
  fileKind('rows.ndjson.gz'),
  fileKind('rows.ndjson.zst'),
  fileKind('rows.json'),
  fileKind('rows.csv'),
  fileKind('rows.csv.gz'),
  fileKind('rows.csv.zst'),
  fileKind('rows.parquet'),
  folderKind('NDJSON', {}),
  folderKind('CSV in zstd, of three rows each', { format: 'csv', compress: 'zstd', rotateRows: 3 }),
  folderKind('Parquet', { format: 'parquet' }),
]

const others: ReadonlyArray<Kind> = [
  bucketKind(bucket, 'rows.ndjson'),
  bucketKind(bucket, 'rows.parquet'),
  bucketKind(bucket, 'rows/', { compress: 'zstd' }),
  mergedKind(home, 'ndjson'),
  mergedKind(home, 'parquet'),
  mergedBucketKind(bucket, 'ndjson'),
  ...databases().flatMap((database) =>
    database.isThere ? [databaseKind(database, true), databaseKind(database, false)] : [],
  ),
]

for (const kind of [...onMemory, ...others]) {
  const games = onMemory.includes(kind) ? GAMES : FEW
  describe(kind.name, () => {
    for (const { name, check } of lawsOf(kind)) it(name, () => check(kind, { seed: SEED, games }))
  })
}
