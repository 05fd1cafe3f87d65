/** Days on which a database of SQLite cannot be written. */
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { sync } from '../../../src/export/index.js'
import { folder } from './databases.js'
import { account } from './nights.js'

const file = folder()

const countIn = (path: string): number => {
  const db = new DatabaseSync(path)
  const found = db.prepare('select count(*) as n from charges').get()
  db.close()
  return Number(found?.n)
}

/** A disk of its own, of so many kB; only root may make one. */
const disk = (path: string, kB: number): boolean => {
  mkdirSync(path)
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kB}k`, 'tmpfs', path], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const small = file('small')
const hasDisk = disk(small, 400)

it.skipIf(!hasDisk)('says that the disk is full, and resumes once there is room', async () => {
  try {
    const { payments, timer, failure, last } = account({ charges: 6_000 })
    const to = `${small}/charges.sqlite`
    const options = { to, timer, parallel: 1 }
    const wrong = await failure(sync(payments.charges, options))
    expect(wrong).toMatchObject({ _tag: 'UnusableDestination', code: 'SQLITE_FULL' })
    expect(wrong.message).toBe(
      `cannot write ${to}: database or disk is full (SQLITE_FULL): free some space`,
    )
    execFileSync('mount', ['-o', 'remount,size=20m', small])
    const kept = countIn(to)
    expect(kept % 2_000).toBeLessThan(2_000)
    await last(sync(payments.charges, options))
    expect(countIn(to)).toBe(6_000)
  } finally {
    execFileSync('umount', [small])
  }
})

it('waits for another program that has the database locked, and ends if it does not let go', async () => {
  const { payments, timer, failure, last } = account()
  const to = file('locked.sqlite')
  await last(sync(payments.charges, { to, timer }))
  const other = new DatabaseSync(to)
  other.exec('begin exclusive')
  const wrong = await failure(sync(payments.charges, { to, timer }))
  expect(wrong).toMatchObject({ _tag: 'WriteFailed', code: 'SQLITE_BUSY' })
  expect(wrong.message).toContain('another program has locked it')
  other.exec('rollback')
  other.close()
  await last(sync(payments.charges, { to, timer }))
})
