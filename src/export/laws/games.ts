/**
 * Games (simulated runs) with a destination. Lists are written while its owners are killed or frozen at arbitrary moments.
 *
 *     undisturbed    night 1 ... night 2 ... night 3                       rows exact after each
 *     killed         night 1 ... nig|, night 2, night 2 again, night 3     rows visible at |, and rows exact
 *     frozen         night 1 ... nig|      ht 2                            rows exact, whenever the first continues
 *                                   | night 2, night 3
 *     stopped        night 1 ... nig|, night 2, night 3                    rows exact
 */
import type { CheckedRow } from './CheckedDestination.js'
import { KeptRows } from './KeptRows.js'
import { Chance, cut, type ListKind, type Night } from './nights.js'
import { Owner, type StopAt } from './Owner.js'

type VersionsByKey = ReadonlyMap<string, number>

export type RunEnd =
  | {
      readonly isComplete: true
      /** Number of all its rows; absent if the run counts other rows as well. */
      readonly rows?: number
    }
  | { readonly isComplete: false; readonly tag: string; readonly why: string }

/** A destination as the games use it. */
export interface Place {
  readonly name: string
  /** Runs lists, one after another, as a separate process, and continues from the existing state. */
  readonly run: (nights: ReadonlyArray<Night>, owner: Owner, watch: KeptRows) => Promise<RunEnd>
  /** Reads the visible rows; rejects if a row is incomplete. */
  readonly read: () => Promise<ReadonlyArray<CheckedRow>>
  readonly plant: () => Promise<unknown>
  readonly planted: () => Promise<boolean>
  /** Drops unfinished work of a killed process. */
  readonly killed?: (() => Promise<void> | void) | undefined
  /** Throws if its store breaks the laws of a store. */
  readonly checkStore?: () => Promise<void>
}

/** Names of the laws in errors and on the page. */
export type Law =
  | 'step'
  | 'fence'
  | 'resume'
  | 'replay'
  | 'own names'
  | 'bounds'
  | 'by id'
  | 'replaces'
  | 'store'

/** Thrown if a destination breaks a law. */
export class Broken extends Error {
  constructor(law: Law, why: string) {
    super(`breaks the law "${law}": ${why}`)
  }
}

export interface GameOptions {
  readonly seed: number
  readonly games: number
  readonly kinds: ReadonlyArray<ListKind>
}

// what is expected

const after = (before: VersionsByKey, { kind, pages }: Night): VersionsByKey =>
  new Map([
    ...(kind === 'replaced' ? [] : before),
    ...pages.flat().map(({ key, version }) => [key, version] as const),
  ])

const shown = (rows: Iterable<readonly [string, number]>): string =>
  [...rows]
    .map(([key, version]) => `${key}${version === 1 ? '' : ` v${version}`}`)
    .sort()
    .join(', ') || 'nothing'

const pairs = (rows: ReadonlyArray<CheckedRow>) =>
  rows.map(({ key, version }) => [key, version] as const)

const expectExact = async (
  place: Place,
  rows: VersionsByKey,
  law: Law,
  when: string,
): Promise<void> => {
  const [is, should] = [shown(pairs(await place.read())), shown(rows)]
  if (is !== should)
    throw new Broken(law, `${when}: the destination has ${is} instead of ${should}`)
}

const expectPlanted = async (place: Place, when: string): Promise<void> => {
  if (await place.planted()) return
  throw new Broken('own names', `${when}: what plant() created was changed or removed`)
}

/** Throws unless a reader sees only rows of saved steps, each once, and all rows of steps that became visible. */
const expectSteps = async (
  place: Place,
  night: Night,
  before: VersionsByKey,
  watch: KeptRows,
  law: Law,
  when: string,
): Promise<void> => {
  const isReplaced = night.kind === 'replaced'
  const { isOfSteps, kept, shown: settled } = watch
  const stays = !isReplaced || settled === undefined
  const list = isOfSteps ? (kept ?? []) : night.pages.flat()
  const allowed = new Set([...(stays ? before : []), ...pairs(list)].map((one) => shown([one])))
  const between = new Set(kept?.slice(settled?.length ?? 0).map(({ key }) => key))
  const had = isReplaced && kept !== undefined ? [] : before
  const required = [...(isOfSteps ? had : []), ...pairs(settled ?? [])].filter(
    ([key]) => !between.has(key),
  )
  const found = pairs(await place.read())
  const there = new Map(found)
  const says = `${when}: a reader sees ${shown(found)}`
  const byId = night.kind === 'by time' && law === 'step' ? 'by id' : law
  if (there.size !== found.length) throw new Broken(byId, `${says}, one of them twice`)
  const early = found.find((one) => !allowed.has(shown([one])))
  if (early !== undefined)
    throw new Broken(law, `${says}, but ${shown([early])} belongs to no saved step`)
  const lost = required.find(([key, version]) => (there.get(key) ?? 0) < version)
  if (lost === undefined) return
  throw new Broken(there.has(lost[0]) ? byId : law, `${says}, but not ${shown([lost])}`)
}

/** Errors of an owner that another owner has overtaken. */
const OUTRUN: ReadonlyArray<string> = ['Fenced', 'Locked', 'CheckpointExists', 'OutputExists']

const expectOutrun = (end: RunEnd, law: Law, when: string): void => {
  if (end.isComplete || OUTRUN.includes(end.tag)) return
  throw new Broken(law, `${when}: the run ends with ${end.tag}: ${end.why}`)
}

/** Number of resumptions after which a transfer is considered endless. */
const RUNS = 5

/** Resumes a run until it is complete. */
const completed = async (
  place: Place,
  night: Night,
  law: Law,
  when: string,
  watch = new KeptRows(),
) => {
  for (let tries = 1; ; tries++) {
    const end = await place.run([night], new Owner(), watch)
    if (end.isComplete) return end
    if (tries === RUNS || !OUTRUN.includes(end.tag)) {
      throw new Broken(law, `${when}: the run ends with ${end.tag}: ${end.why}`)
    }
  }
}

// games

const LAW_OF: Readonly<Record<ListKind, Law>> = {
  export: 'step',
  'by time': 'by id',
  replaced: 'replaces',
}

const LISTS: Readonly<Record<ListKind, string>> = {
  export: 'an export',
  'by time': 'sync of rows by id',
  replaced: 'sync of a list that is replaced',
}

const titleOf = ({ kind, number }: Night): string =>
  kind === 'export' ? LISTS.export : `night ${number} of a ${LISTS[kind]}`

/** Returns the law for the rows that a reader sees during a night. */
const seenLaw = ({ kind }: Night): Law => (kind === 'replaced' ? 'replaces' : 'step')

/** A game of several nights, one of which is disturbed. */
class Game {
  readonly nights: ReadonlyArray<Night>
  readonly #make: () => Promise<Place>
  readonly #chance: Chance
  /** Names of each night's operations. */
  readonly #names: Array<ReadonlyArray<string>> = []

  constructor(make: () => Promise<Place>, chance: Chance, kind: ListKind) {
    this.#make = make
    this.#chance = chance
    this.nights = chance.nights(kind)
  }

  /** Plays the nights undisturbed, and records their operations. `isWatched`: also reads the rows after each operation. */
  async undisturbed(isWatched: boolean): Promise<void> {
    const place = await this.#make()
    await place.plant()
    let rows: VersionsByKey = new Map()
    for (const night of this.nights) {
      const law = LAW_OF[night.kind]
      const when = `${titleOf(night)}, undisturbed`
      const [watch, before] = [new KeptRows(), rows]
      const look = async (): Promise<void> => {
        if (isWatched) await expectSteps(place, night, before, watch, seenLaw(night), when)
      }
      const owner = new Owner(undefined, look)
      const end = await place.run([night], owner, watch)
      if (!end.isComplete)
        throw new Broken(law, `${when}: the run ends with ${end.tag}: ${end.why}`)
      rows = after(rows, night)
      await expectExact(place, rows, law, when)
      await expectPlanted(place, when)
      this.#names.push(owner.names)
    }
  }

  /** Plays the second and the third night in one run, as `follow` does. */
  async followed(): Promise<void> {
    const [first, ...others] = this.nights
    const place = await this.#make()
    if (first === undefined || others.length === 0) return
    await completed(place, first, LAW_OF[first.kind], `${titleOf(first)}, undisturbed`)
    const when = `two polls of a follow, after ${titleOf(first)}`
    const end = await place.run(others, new Owner(), new KeptRows())
    const law = LAW_OF[first.kind]
    if (!end.isComplete) throw new Broken(law, `${when}: the run ends with ${end.tag}: ${end.why}`)
    await expectExact(place, this.nights.reduce(after, new Map()), law, when)
  }

  /** Kills owners, up to three in a row, and continues. */
  async killed(): Promise<void> {
    const { place, night, rest, before, names } = await this.#upToOne()
    const watch = new KeptRows()
    let when = `${titleOf(night)}, killed`
    let law: Law = 'resume'
    let seen = seenLaw(night)
    for (
      let kills = 1 + (this.#chance.below(4) === 0 ? this.#chance.below(3) : 0);
      kills > 0;
      kills--
    ) {
      const stop = this.#chance.stopAmong(names)
      const name = names[stop.nth - 1]
      const owner = new Owner(stop)
      await Promise.race([owner.frozen, place.run([night], owner, watch)])
      await place.killed?.()
      when += ` ${at(stop, names)}`
      law = name === 'settle' && stop.after ? 'replay' : 'resume'
      await expectSteps(place, night, before, watch, seen, when)
      seen = law
      await expectPlanted(place, when)
    }
    // rows of a replaced list may be gone when the list is read again
    const next = night.kind === 'replaced' ? { ...night, pages: night.pages.slice(1) } : night
    const rows = after(before, next)
    const end = await completed(place, next, law, when)
    await expectExact(place, rows, law, when)
    const count = end.rows ?? rows.size
    if (count !== rows.size) {
      throw new Broken('step', `${when}: the run counts ${count} of ${rows.size} rows`)
    }
    await completed(place, next, 'replay', `${when}, and run twice`)
    await expectExact(place, rows, 'replay', `${when}, and run twice`)
    await expectPlanted(place, when)
    await this.#playRest(place, rest, rows, law, `after ${when}`)
  }

  /** Freezes an owner, lets another one do the work, and thaws the first one while that is in progress. */
  async frozen(): Promise<void> {
    const { place, names, ...game } = await this.#upToOne()
    let { night, rows, rest } = game
    const stop = this.#chance.stopAmong(names)
    // no later owner would repair a change made by the first owner after the other has ended
    const thawAt = this.#chance.below(3) === 0 ? 1 + this.#chance.below(names.length) : undefined
    const thawed =
      thawAt === undefined ? '' : `, thawed before operation ${thawAt} of a later owner`
    let when = `${titleOf(night)}, frozen ${at(stop, names)}${thawed}`
    const frozen = new Owner(stop)
    const first = place.run([night], frozen, new KeptRows())
    await Promise.race([frozen.frozen, first])
    const later = new Owner()
    if (thawAt !== undefined) later.at(thawAt, () => frozen.thaw())
    const second = await place.run([night], later, new KeptRows())
    expectOutrun(second, 'resume', when)
    if (second.isComplete && thawAt === undefined) {
      await expectExact(place, rows, 'resume', when)
      when += ', thawed after a later owner'
      const [next, ...others] = rest
      if (next !== undefined && this.#chance.below(2) === 0) {
        await this.#playRest(place, [next], rows, 'resume', when)
        when += ' and the night after'
        ;[night, rows, rest] = [next, after(rows, next), others]
      }
    }
    frozen.thaw()
    expectOutrun(await first, 'fence', when)
    if (second.isComplete) await expectExact(place, rows, 'fence', when)
    await completed(place, night, 'fence', when)
    await expectExact(place, rows, 'fence', when)
    await expectPlanted(place, when)
    await this.#playRest(place, rest, rows, 'fence', `after ${when}`)
  }

  /** Stops a run after a random page, and continues. */
  async stopped(): Promise<void> {
    const { place, night, rows, rest } = await this.#upToOne()
    const stopAfter = 1 + this.#chance.below(Math.max(1, night.pages.length))
    const when = `${titleOf(night)}, stopped after page ${stopAfter}`
    await completed(place, { ...night, stopAfter }, 'resume', when)
    await completed(place, night, 'resume', when)
    await expectExact(place, rows, 'resume', when)
    await this.#playRest(place, rest, rows, 'resume', `after ${when}`)
  }

  async #playRest(
    place: Place,
    nights: ReadonlyArray<Night>,
    before: VersionsByKey,
    law: Law,
    when: string,
  ): Promise<void> {
    let rows = before
    for (const night of nights) {
      await completed(place, night, law, `${titleOf(night)}, ${when}`)
      rows = after(rows, night)
      await expectExact(place, rows, law, `${titleOf(night)}, ${when}`)
    }
  }

  /** Plays the nights before the disturbed one. */
  async #upToOne() {
    const { nights } = this
    const nth = this.#chance.below(nights.length)
    const [night, ...rest] = nights.slice(nth)
    if (night === undefined) throw new Error('a game without nights')
    const place = await this.#make()
    await place.plant()
    const before = nights.slice(0, nth).reduce(after, new Map() as VersionsByKey)
    await this.#playRest(place, nights.slice(0, nth), new Map(), LAW_OF[night.kind], 'undisturbed')
    return { place, night, rest, before, rows: after(before, night), names: this.#names[nth] ?? [] }
  }
}

const at = ({ nth, after }: StopAt, names: ReadonlyArray<string>): string =>
  `${after ? 'after' : 'before'} operation ${nth} (${names[nth - 1]})`

/** Maximum growth of the state in bytes, which is due to longer numbers. */
const DIGITS = 120

/** Throws if `own` grows with the number of rows, steps or nights. A run that replaces all rows may list its steps. */
const expectBounds = async (make: () => Promise<Place>, kind: ListKind): Promise<void> => {
  const sizeAfter = async (pages: number, rows: number, nights: number): Promise<number> => {
    const list = cut(
      Array.from({ length: pages * rows }, (_, n) => ({ key: `key-${1_000 + n}`, version: 1 })),
      rows,
    )
    const place = await make()
    const watch = new KeptRows()
    for (let number = 1; number <= nights; number++) {
      const night: Night = { number, kind, pages: list }
      await completed(place, night, LAW_OF[kind], `${titleOf(night)}, undisturbed`, watch)
    }
    return watch.ownBytes
  }
  const few = await sizeAfter(3, 1, 1)
  const checks = [
    ['300 rows', 3, 100, 1],
    ...(kind === 'replaced' ? [] : [['30 steps', 30, 1, 1] as const]),
    ...(kind === 'export' ? [] : [['8 nights', 3, 1, 8] as const]),
  ] as const
  for (const [name, pages, rows, nights] of checks) {
    const many = await sizeAfter(pages, rows, nights)
    if (many <= few + DIGITS) continue
    const why = `the state in own has ${few} bytes after 3 rows in 3 steps, and ${many} after ${name}`
    throw new Broken('bounds', `${LISTS[kind]}, undisturbed: ${why}`)
  }
}

/** Plays games. Rejects with the first broken law, the moment and the seed. */
export const playGames = async (
  make: () => Promise<Place>,
  { seed, games, kinds }: GameOptions,
): Promise<void> => {
  const chance = new Chance(seed)
  let name = ''
  const named = async () => {
    const place = await make()
    name = place.name
    return place
  }
  try {
    await (await named()).checkStore?.()
    for (let nth = 0; nth < games; nth++) {
      for (const kind of kinds) {
        const game = new Game(named, chance, kind)
        await game.undisturbed(nth === 0)
        if (nth === 0) await game.followed()
        if (nth === 0) await expectBounds(named, kind)
        await game.stopped()
        await game.killed()
        await game.frozen()
      }
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`${name} ${why} (seed ${seed})`, { cause: error })
  }
}
