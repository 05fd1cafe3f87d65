/** Chance from a seed, and small values that are made by it. */

/** From 0 up to 1; advances each time it is asked. */
export type Chance = () => number

/** Mulberry32. */
export const chance = (seed: number): Chance => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

export const upTo =
  (max: number, min = 0) =>
  (random: Chance): number =>
    min + Math.floor(random() * (max - min + 1))

export const oneOf =
  <A>(all: ReadonlyArray<A>) =>
  (random: Chance): A => {
    const found = all[Math.floor(random() * all.length)]
    if (found === undefined) throw new Error('nothing to choose from')
    return found
  }

const letters = ['a', 'B', '7', ' ', '-', '"', '\\', '\n', 'é', '€', '字', '👩', '+', '&', '%', '#']

const drawn = (min: number, max: number, random: Chance): string => {
  const most = random() < 0.02 ? max : Math.min(max, min + 12)
  return Array.from({ length: upTo(most, min)(random) }, () => oneOf(letters)(random)).join('')
}

/** A text of `min` to `max` code points; one of a thousand that are drawn once. */
export const textOfLength = (min: number, max: number): ((random: Chance) => string) => {
  const random = chance(1)
  return oneOf(Array.from({ length: 1_000 }, () => drawn(min, max, random)))
}

export const text = textOfLength(0, 60)

export const number = oneOf([0, 1, -1, 0.1, 9.99, -12.5, 1e-7, 123_456.78, 1e15, 2 ** 53 - 1])

/** Without escapes: `JSON.parse` of V8 13.6 takes one such key for another, now and then. */
export const key = (random: Chance): string => text(random).replace(/["\\\n]/g, '')

/** Whatever JSON can say. */
export const json =
  (depth: number) =>
  (random: Chance): unknown => {
    const kind = upTo(depth > 0 ? 6 : 4)(random)
    const below = (): unknown => json(depth - 1)(random)
    switch (kind) {
      case 0:
        return null
      case 1:
        return random() < 0.5
      case 2:
        return number(random)
      case 5:
        return Array.from({ length: upTo(3)(random) }, below)
      case 6:
        return Object.fromEntries(
          Array.from({ length: upTo(3)(random) }, () => [key(random), below()]),
        )
      default:
        return text(random)
    }
  }
