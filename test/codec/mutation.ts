/** Spoils one place of a value. */
import { type Chance, chance, oneOf, upTo } from './chance.js'

export interface Mutated {
  readonly value: unknown
  /** The place, as causes name it: `items[3].amount`. */
  readonly path: string
}

type Step = string | number

const kindOf = (u: unknown): string => (u === null ? 'null' : Array.isArray(u) ? 'array' : typeof u)

const wrong: ReadonlyArray<unknown> = [null, true, 12.5, 'text', [], {}]

/** Another kind of value than the one that is there. */
const another = (u: unknown, random: Chance): unknown =>
  oneOf(wrong.filter((one) => kindOf(one) !== kindOf(u)).map((one) => ({ one })))(random).one

const keysOf = (u: unknown): ReadonlyArray<Step> =>
  Array.isArray(u) ? u.map((_, i) => i) : typeof u === 'object' && u !== null ? Object.keys(u) : []

const stepText = (step: Step): string => (typeof step === 'number' ? `[${step}]` : `.${step}`)

const spoil = (u: unknown, random: Chance, path: ReadonlyArray<Step>): Mutated => {
  const keys = keysOf(u)
  if (keys.length === 0 || random() < 0.2) {
    return { value: another(u, random), path: path.map(stepText).join('').replace(/^\./, '') }
  }
  const key = keys[upTo(keys.length - 1)(random)] ?? 0
  const below = spoil(Reflect.get(Object(u), key), random, [...path, key])
  const value = Array.isArray(u)
    ? u.map((item, i) => (i === key ? below.value : item))
    : Object.fromEntries(
        Object.entries(Object(u)).map(([name, one]) => [name, name === key ? below.value : one]),
      )
  return { value, path: below.path }
}

export const mutated = (value: unknown, seed: number): Mutated => spoil(value, chance(seed), [])
