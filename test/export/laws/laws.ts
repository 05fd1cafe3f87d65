/**
 * The laws of destinations. Each is a check that throws when a destination breaks it, whatever tests it. A check plays
 * with random lists, random moments and random owners; its error names the seed, which plays the same again.
 */
import { type Operation, Owner, type StopAt } from './Owner.js'

// model

/** A row of a list, by its id and its version. */
export interface LawRow {
  readonly id: string
  readonly n: number
}

/** The end of a run. */
export type End =
  | {
      readonly isComplete: true
      /** All its rows; absent where it counts others, too. */
      readonly rows?: number
      /** It was complete before, and nothing was read. */
      readonly wasThere?: true
    }
  | { readonly isComplete: false; readonly tag: string; readonly why: string }

/** One place that rows go to. */
export interface Place {
  /**
   * Runs a list into it, as a process of its own, and goes on with what is there. Everything that it does to the outside
   * is an operation. `restart`: it begins anew, whatever is there.
   */
  readonly run: (
    pages: ReadonlyArray<ReadonlyArray<LawRow>>,
    operation: Operation,
    restart?: boolean,
  ) => Promise<End>
  /** Reads the rows that are to be seen there, in order; rejects where one is torn. */
  readonly read: () => Promise<ReadonlyArray<LawRow>>
  /** Loses whatever a process that was killed, or a machine whose power went, leaves undone. */
  readonly crash?: (what: 'kill' | 'power cut') => void
  /** Its files but those that hold leases, by names. */
  readonly files?: () => Promise<ReadonlyArray<string>>
  /** Puts a file of another program beside its own. */
  readonly put?: (name: string, text: string) => Promise<void>
  readonly text?: (name: string) => Promise<string | undefined>
  /** Damages a file of its own. */
  readonly damage?: (name: string, how: Damage) => Promise<void>
  /** How many bytes its state has. */
  readonly stateBytes?: () => Promise<number>
  /** Gives back whatever owners that were killed hold, such as connections. */
  readonly end?: () => Promise<void>
}

export type Damage = 'cut' | 'changed' | 'gone'

/** A kind of destination. */
export interface Kind {
  readonly name: string
  /** Makes an empty one. */
  readonly make: () => Promise<Place>
  /** True if rows are put in place by id: their order is that of the destination. */
  readonly isById: boolean
  /** True if files have a few rows each. */
  readonly isRotated?: boolean
  /** True if its places can be looked into: their files, and the bytes of their state. */
  readonly hasFiles?: boolean
  /** Names that other programs may give their files there. */
  readonly strangers?: ReadonlyArray<string>
}

/** A law, as a check of one kind of destination. */
export interface Law {
  readonly name: string
  /** True if it is of files alone. */
  readonly isOfFiles?: true
  readonly check: (kind: Kind, options: LawOptions) => Promise<void>
}

export interface LawOptions {
  readonly seed: number
  /** How many games are played. */
  readonly games: number
}

// chance

class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 0
  }

  /** Returns a whole number from 0 on, below `end`. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end)
  }

  one<A>(of: ReadonlyArray<A>): A {
    const found = of[this.below(of.length)]
    if (found === undefined) throw new Error('there is nothing to choose from')
    return found
  }

  stopWithin(operations: number): StopAt {
    return { nth: 1 + this.below(operations), after: this.below(2) === 1 }
  }

  /** A list of a few pages, some of them empty. */
  pages(most = 6): ReadonlyArray<ReadonlyArray<LawRow>> {
    let n = 0
    const pages = Array.from({ length: 1 + this.below(most) }, () =>
      Array.from({ length: this.below(5) }, () => rowOf(n++)),
    )
    return [...pages, [rowOf(n)]] // at least one row
  }
}

const rowOf = (n: number): LawRow => ({ id: `row-${String(n).padStart(6, '0')}`, n })

// what is expected

class Broken extends Error {}

const shown = (rows: ReadonlyArray<LawRow>): string => JSON.stringify(rows.map(({ n }) => n))

const numbersOf = (kind: Kind, rows: ReadonlyArray<LawRow>): ReadonlyArray<number> => {
  const numbers = rows.map(({ n }) => n)
  return kind.isById ? numbers.sort((a, b) => a - b) : numbers
}

/** Throws unless each row is there once. */
const expectExact = async (
  kind: Kind,
  place: Place,
  pages: ReadonlyArray<ReadonlyArray<LawRow>>,
  when: string,
): Promise<void> => {
  const [found, all] = [await place.read(), pages.flat()]
  const isExact = String(numbersOf(kind, found)) === String(numbersOf(kind, all))
  if (!isExact) throw new Broken(`${when}: there is ${shown(found)} in place of ${shown(all)}`)
}

/** Throws where a row is there twice, or one that no list has. */
const expectPart = async (
  place: Place,
  pages: ReadonlyArray<ReadonlyArray<LawRow>>,
  when: string,
): Promise<void> => {
  const found = (await place.read()).map(({ n }) => n)
  const all = new Set(pages.flat().map(({ n }) => n))
  const isPart = new Set(found).size === found.length && found.every((n) => all.has(n))
  if (!isPart) throw new Broken(`${when}: a reader sees ${JSON.stringify(found)}`)
}

/** Ends of an owner that another one was faster than, or has taken over from. */
const OUTRUN: ReadonlyArray<string> = ['Fenced', 'Locked', 'CheckpointExists', 'OutputExists']

const expectOwnership = (end: End, when: string): void => {
  if (end.isComplete || OUTRUN.includes(end.tag)) return
  throw new Broken(`${when}: an owner that was shut out ends with ${end.tag}: ${end.why}`)
}

const at = ({ nth, after }: StopAt): string => `${after ? 'after' : 'before'} operation ${nth}`

/** Runs that go on where others died, before it counts as one that never ends. */
const RUNS = 5

/** Runs until one is complete. */
const completed = async (
  place: Place,
  pages: ReadonlyArray<ReadonlyArray<LawRow>>,
  when: string,
): Promise<void> => {
  let last: End | undefined
  for (let tries = 0; tries < RUNS; tries++) {
    last = await place.run(pages, new Owner().operation)
    if (last.isComplete) return
    if (!OUTRUN.includes(last.tag)) break
  }
  const why = last?.isComplete === false ? `${last.tag}: ${last.why}` : 'nothing'
  throw new Broken(`${when}: it does not come to its end, but to ${why}`)
}

const operationsOf = async (
  kind: Kind,
  pages: ReadonlyArray<ReadonlyArray<LawRow>>,
): Promise<number> => {
  const place = await kind.make()
  const owner = new Owner()
  const end = await place.run(pages, owner.operation)
  if (!end.isComplete) throw new Broken(`undisturbed: it ends with ${end.tag}: ${end.why}`)
  await expectExact(kind, place, pages, 'undisturbed')
  return owner.count
}

// the laws

const resume: Law = {
  name: 'resume: killed between any two operations, however often, the same pages again give each row once',
  check: async (kind, { seed, games }) => {
    const chance = new Chance(seed)
    for (let game = 0; game < games; game++) {
      const pages = chance.pages()
      const operations = await operationsOf(kind, pages)
      const place = await kind.make()
      let when = 'killed'
      for (let kills = 1 + chance.below(4); kills > 0; kills--) {
        const stop = chance.stopWithin(operations)
        const owner = new Owner(stop)
        const run = place.run(pages, owner.operation)
        await Promise.race([owner.frozen, run])
        const what = place.crash === undefined ? 'kill' : chance.one(['kill', 'power cut'] as const)
        place.crash?.(what)
        when += ` by a ${what} ${at(stop)},`
        await expectPart(place, pages, when)
      }
      await completed(place, pages, when)
      await expectExact(kind, place, pages, when)
    }
  },
}

/** Freezes an owner, has another one do the work, and thaws the first at some point of that. */
const freezeAndThaw = async (
  kind: Kind,
  pages: ReadonlyArray<ReadonlyArray<LawRow>>,
  stop: StopAt,
  thawAt: number | undefined,
): Promise<void> => {
  const thawed =
    thawAt === undefined ? 'after a later owner' : `at operation ${thawAt} of a later owner`
  const when = `frozen ${at(stop)}, thawed ${thawed}`
  const place = await kind.make()
  const frozen = new Owner(stop)
  const first = place.run(pages, frozen.operation)
  await Promise.race([frozen.frozen, first])
  const later = new Owner()
  if (thawAt !== undefined) later.at(thawAt, () => frozen.thaw())
  const second = await place.run(pages, later.operation)
  const between = second.isComplete ? await place.read() : undefined
  frozen.thaw()
  const ends = [await first, second]
  for (const end of ends) expectOwnership(end, when)
  if (between !== undefined) await expectExact(kind, place, pages, when)
  await completed(place, pages, when)
  await expectExact(kind, place, pages, when)
}

const fence: Law = {
  name: 'fence: frozen before or after any operation, and thawed anywhere in the run of a later owner, an owner changes nothing',
  check: async (kind, { seed, games }) => {
    const chance = new Chance(seed)
    for (let game = 0; game < games; game++) {
      const pages = chance.pages(4)
      const operations = await operationsOf(kind, pages)
      const stop = chance.stopWithin(operations)
      const isAtEnd = chance.below(3) === 0 // what it changes then, no later owner sets right
      await freezeAndThaw(kind, pages, stop, isAtEnd ? undefined : 1 + chance.below(operations))
    }
  },
}

/** So many operations are those of the end of a run. */
const END = 12

const replay: Law = {
  name: 'replay: the end of a run that is done twice, also by two owners, is as done once',
  check: async (kind, { seed, games }) => {
    const chance = new Chance(seed)
    const pages = chance.pages(3)
    const operations = await operationsOf(kind, pages)
    for (let game = 0; game < games; game++) {
      const nth = Math.max(1, operations - chance.below(END))
      const stop = { nth, after: chance.below(2) === 1 }
      await freezeAndThaw(kind, pages, stop, 1 + chance.below(operations + 1))
      const place = await kind.make()
      const owner = new Owner(stop)
      const run = place.run(pages, owner.operation)
      await Promise.race([owner.frozen, run])
      place.crash?.('kill')
      for (let again = 0; again < 2; again++) await completed(place, pages, `killed ${at(stop)}`)
      await expectExact(kind, place, pages, `killed ${at(stop)}, ended twice`)
    }
  },
}

const step: Law = {
  name: 'step: rows and the count of them change together',
  check: async (kind, { seed, games }) => {
    const chance = new Chance(seed)
    for (let game = 0; game < games; game++) {
      const pages = chance.pages()
      const stop = chance.stopWithin(await operationsOf(kind, pages))
      const place = await kind.make()
      const owner = new Owner(stop)
      const run = place.run(pages, owner.operation)
      await Promise.race([owner.frozen, run])
      place.crash?.('kill')
      const end = await place.run(pages, new Owner().operation)
      const when = `killed ${at(stop)}`
      const count = end.isComplete ? end.rows : undefined
      const found = (await place.read()).length
      if (count === undefined || count === found) continue
      throw new Broken(`${when}: it says ${count} rows, and there are ${found}`)
    }
  },
}

const ownNames: Law = {
  name: 'own names: it removes and changes no file of another program',
  isOfFiles: true,
  check: async (kind, { seed, games }) => {
    const chance = new Chance(seed)
    const { strangers = [] } = kind
    for (let game = 0; game < games; game++) {
      const pages = chance.pages(3)
      const operations = await operationsOf(kind, pages)
      const place = await kind.make()
      for (const name of strangers) await place.put?.(name, `of another program: ${name}`)
      const stop = chance.stopWithin(operations)
      const owner = new Owner(stop)
      await Promise.race([owner.frozen, place.run(pages, owner.operation)])
      place.crash?.('kill')
      const end = await place.run(pages, new Owner().operation)
      if (!end.isComplete) await place.run(pages, new Owner().operation, true)
      for (const name of strangers) {
        if ((await place.text?.(name)) === `of another program: ${name}`) continue
        throw new Broken(`killed ${at(stop)}: ${name} is not as its program left it`)
      }
    }
  },
}

const integrity: Law = {
  name: 'integrity: nothing is built on a file that is cut, changed or gone',
  isOfFiles: true,
  check: async (kind, { seed, games }) => {
    const chance = new Chance(seed)
    for (let game = 0; game < games; game++) {
      const pages = chance.pages(4)
      const stop = chance.stopWithin(await operationsOf(kind, pages))
      const place = await kind.make()
      const owner = new Owner(stop)
      await Promise.race([owner.frozen, place.run(pages, owner.operation)])
      place.crash?.('kill')
      const files = (await place.files?.()) ?? []
      if (files.length === 0) continue
      const [name, how] = [chance.one(files), chance.one(['cut', 'changed', 'gone'] as const)]
      await place.damage?.(name, how)
      const when = `killed ${at(stop)}, and ${name} ${how}`
      const end = await place.run(pages, new Owner().operation)
      if (!end.isComplete) expectRefusal(end, when)
      else if (end.wasThere !== true) await expectExact(kind, place, pages, when)
      const again = await place.run(pages, new Owner().operation, true)
      if (!again.isComplete) throw new Broken(`${when}, and begun anew: ${again.tag}: ${again.why}`)
      await expectExact(kind, place, pages, `${when}, and begun anew`)
    }
  },
}

const expectRefusal = (end: End & { readonly isComplete: false }, when: string): void => {
  if (!REFUSALS.includes(end.tag)) throw new Broken(`${when}: ${end.tag}: ${end.why}`)
}

const REFUSALS = ['ChecksumMismatch', 'Damaged', 'OutputExists', 'NewerVersion', 'FileConflict']

const readers: Law = {
  name: 'readers: whoever looks at any moment sees whole rows, none of them twice',
  check: async (kind, { seed, games }) => {
    const chance = new Chance(seed)
    for (let game = 0; game < Math.ceil(games / 4); game++) {
      const pages = chance.pages()
      const place = await kind.make()
      const owner = new Owner()
      let nth = 0
      const watched: Operation = async (work) => {
        const done = await owner.operation(work)
        await expectPart(place, pages, `after operation ${++nth}`)
        return done
      }
      const end = await place.run(pages, watched)
      if (!end.isComplete) throw new Broken(`it ends with ${end.tag}: ${end.why}`)
    }
  },
}

/** Bytes that the state may grow by where there are a hundred times as many rows: longer numbers. */
const DIGITS = 100

const bounds: Law = {
  name: 'bounds: its state does not grow with the rows',
  isOfFiles: true,
  check: async (kind) => {
    const sizeAfter = async (rows: number): Promise<number> => {
      const pages = [0, 1, 2].map((page) =>
        Array.from({ length: rows }, (_, n) => rowOf(page * rows + n)),
      )
      const place = await kind.make()
      let bytes = 0
      const owner = new Owner()
      await place.run(pages, async (work) => {
        const done = await owner.operation(work)
        bytes = Math.max(bytes, (await place.stateBytes?.()) ?? 0)
        return done
      })
      return bytes
    }
    if (kind.isRotated === true) return // the user has asked for many files
    const [few, many] = [await sizeAfter(1), await sizeAfter(100)]
    if (many > few + DIGITS) throw new Broken(`${few} bytes after 3 rows, and ${many} after 300`)
  },
}

/** Adds the kind, the law and the seed to what is broken. */
const named = ({ check, ...law }: Law): Law => ({
  ...law,
  check: async (kind, options) => {
    const made: Array<Place> = []
    const make = async (): Promise<Place> => {
      const place = await kind.make()
      made.push(place)
      return place
    }
    try {
      await check({ ...kind, make }, options)
    } catch (error) {
      if (!(error instanceof Broken)) throw error
      const [name] = law.name.split(':')
      throw new Error(
        `${kind.name} breaks the law of ${name}, ${error.message} (seed ${options.seed})`,
      )
    } finally {
      for (const place of made) await place.end?.()
    }
  },
})

const all: ReadonlyArray<Law> = [
  step,
  fence,
  resume,
  replay,
  ownNames,
  integrity,
  readers,
  bounds,
].map(named)

/** The laws that can be checked of a kind of destination. */
export const lawsOf = ({ hasFiles = false }: Pick<Kind, 'hasFiles'>): ReadonlyArray<Law> =>
  all.filter(({ isOfFiles = false }) => hasFiles || !isOfFiles)
