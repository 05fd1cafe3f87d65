/** Folders and buckets whose files or records were changed by others: a sync tells it, and merges nothing of them. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lastValueFrom, toArray } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { exportTo, readRows, type SyncEvent, sync, verify } from '../../../src/export/index.js'
import { E } from '../../../src/fp.js'
import { Charge } from '../../../src/index.js'
import { showSummed } from '../../../src/store/readRecord.js'
import { tempFolder } from '../../support/tempFolder.js'
import { account, DAY } from './nights.js'

const home = tempFolder()
let made = 0

const failuresOf = async (folder: string): Promise<ReadonlyArray<string>> => {
  const checks = await lastValueFrom(verify(folder).pipe(toArray()))
  return checks.flatMap((check) =>
    E.isLeft(check) ? [check.left._tag] : check.right.differences.map(({ _tag }) => _tag),
  )
}

/** The state of a folder, as its file has it. */
interface Kept {
  version: number
  state: {
    spec: { resource: string }
    own: { base: Array<Record<string, unknown>> }
  }
  sum?: string
}

/** A folder after its first night, and what its next night does. */
const synced = async (format: 'ndjson' | 'parquet' = 'ndjson') => {
  const nights = account({ charges: 0 })
  const folder = `${join(home, String(++made))}/`
  for (let n = 0; n < 5; n++) await nights.charge(`acct_${n}`)
  const night = (): Promise<ReadonlyArray<SyncEvent>> =>
    nights.all(sync(nights.payments.charges, { to: folder, format, timer: nights.timer }))
  await night()
  const [name = ''] = readdirSync(folder).filter((file) => file.startsWith('charges-'))
  const checkpoint = join(folder, '_checkpoint.json')
  return {
    ...{ folder, checkpoint, night, nights, piece: join(folder, name) },
    edit: (change: (record: Kept) => void, isSummed = false): void => {
      const record: Kept = JSON.parse(readFileSync(checkpoint, 'utf8'))
      change(record)
      const { sum: _, ...content } = record
      writeFileSync(checkpoint, isSummed ? showSummed(content) : JSON.stringify(record))
    },
  }
}

const changes: Readonly<Record<string, (bytes: Buffer) => Buffer | undefined>> = {
  'is gone': () => undefined,
  'was cut off': (bytes) => bytes.subarray(0, bytes.length - 7),
  'grew at its end': (bytes) => Buffer.concat([bytes, Buffer.from('x')]),
  'has other bytes': (bytes) => Buffer.from(bytes.map((byte, at) => (at === 20 ? byte ^ 1 : byte))),
  'is empty': () => Buffer.alloc(0),
}

describe.each(['ndjson', 'parquet'] as const)('a file of %s in a synced folder', (format) => {
  it.each(Object.keys(changes))('that %s is not merged, and verify reports it', async (how) => {
    const { folder, piece, night, nights } = await synced(format)
    const bytes = changes[how]?.(readFileSync(piece))
    if (bytes === undefined) rmSync(piece)
    else writeFileSync(piece, bytes)
    const before = await failuresOf(folder)
    const manifest = readFileSync(join(folder, '_manifest.json'), 'utf8')
    await nights.charge('acct_9') // within the lookback: merged with the file
    const last = (await night()).at(-1)
    expect(last).toMatchObject({ left: { _tag: 'ChecksumMismatch', path: piece } })
    expect(last).toHaveProperty(
      'left.message',
      expect.stringContaining('restore it, or sync into another folder'),
    )
    expect(readFileSync(join(folder, '_manifest.json'), 'utf8')).toBe(manifest)
    expect(await failuresOf(folder)).toEqual(before)
    expect(before.length).toBeGreaterThan(0)
  })

  it('is merged again when it was put back', async () => {
    const { folder, piece, night, nights } = await synced(format)
    const bytes = readFileSync(piece)
    rmSync(piece)
    await nights.charge('acct_9')
    await night()
    writeFileSync(piece, bytes)
    expect((await night()).at(-1)).toMatchObject({ right: { ended: true } })
    expect(await failuresOf(folder)).toEqual([])
    const rows = await lastValueFrom(readRows(folder, { codec: Charge }).pipe(toArray()))
    expect(rows.filter(E.isRight).length).toBe(6)
  })
})

describe('the record of a synced folder', () => {
  it.each([
    ['that has fewer files', ({ state: { own } }) => Object.assign(own, { base: [] })],
    [
      'that counts other rows',
      ({ state: { own } }) => own.base.map((piece) => Object.assign(piece, { rows: 1 })),
    ],
    ['of another list', ({ state: { spec } }) => Object.assign(spec, { resource: 'chargez' })],
    ['without its sum', (record) => delete record.sum],
    ['of another version', (record) => Object.assign(record, { version: 1 })],
  ] as ReadonlyArray<[string, (record: Kept) => void]>)('%s is refused', async (_, change) => {
    const { folder, edit, night } = await synced()
    edit(change)
    const before = readdirSync(folder, { recursive: true })
    expect((await night()).at(-1)).toMatchObject({ left: { _tag: 'Damaged' } })
    expect(readdirSync(folder, { recursive: true })).toEqual(before)
  })

  it.each([
    '../victim.ndjson.zst',
    '/etc/passwd',
    '_incoming/../../victim.ndjson.zst',
    'notes.txt',
    'charges-0123456789ab.ndjson.zst/x',
    'below/charges-0123456789ab.ndjson.zst',
  ])('that names %s is refused, whatever its sum', async (path) => {
    const { folder, edit, night } = await synced()
    writeFileSync(join(folder, 'notes.txt'), 'mine')
    edit(({ state: { own } }) => own.base.push({ ...own.base[0], path }), true)
    expect((await night()).at(-1)).toMatchObject({
      left: { _tag: 'Damaged', field: 'base[1].path' },
    })
    expect(readFileSync(join(folder, 'notes.txt'), 'utf8')).toBe('mine')
  })
})

describe('a folder', () => {
  const exported = async (options: object = {}) => {
    const nights = account({ charges: 0 })
    for (let n = 0; n < 3; n++) await nights.charge(`acct_${n}`)
    const folder = `${join(home, String(++made))}/`
    const run = (to: string, more: object) =>
      nights.run(
        lastValueFrom(
          exportTo(nights.payments.charges.snapshot(), { out: to, timer: nights.timer, ...more }),
        ),
      )
    await run(folder, options)
    return { folder, nights, run }
  }

  it('with an export is refused to a sync, which leaves its manifest', async () => {
    const { folder, nights } = await exported()
    const failure = await nights.failure(
      sync(nights.payments.charges, { to: folder, timer: nights.timer }),
    )
    expect(failure).toMatchObject({
      _tag: 'UnusableDestination',
      destination: join(folder, '_manifest.json'),
    })
    expect(await failuresOf(folder)).toEqual([])
  })

  it.each([{}, { resume: true }, { restart: true }])('refuses an export: %j', async (options) => {
    const { folder } = await synced()
    const { run } = await exported()
    expect(await run(folder, options)).toMatchObject({
      left: { _tag: 'UnusableDestination', destination: join(folder, '_checkpoint.json') },
    })
    expect(await failuresOf(folder)).toEqual([])
    expect(readdirSync(folder).some((name) => name.startsWith('part-'))).toBe(false)
  })
})

it('rows that are not final are not read from a file that was changed', async () => {
  const nights = account({ charges: 0, settleAfter: 90 * DAY })
  const to = `${join(home, String(++made))}/`
  const night = () => nights.all(sync(nights.payments.charges, { to, timer: nights.timer }))
  await nights.charge('acct_1')
  await night()
  await nights.pass(30 * DAY)
  const [name = ''] = readdirSync(to).filter((file) => file.startsWith('charges-'))
  const bytes = readFileSync(join(to, name))
  writeFileSync(join(to, name), Buffer.concat([bytes.subarray(0, -1), Buffer.from('x')]))
  expect((await night()).at(-1)).toMatchObject({ left: { _tag: 'ChecksumMismatch' } })
})
