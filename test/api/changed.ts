/** Copies of plain values with one place changed: `items[0].amount`. */

type Step = string | number

const steps = (path: string): ReadonlyArray<Step> =>
  Array.from(path.matchAll(/([^.[\]]+)|\[(\d+)\]/g), ([, name, index]) => name ?? Number(index))

const put = (u: unknown, [step, ...rest]: ReadonlyArray<Step>, value: unknown): unknown => {
  if (step === undefined) return value
  if (Array.isArray(u)) return u.map((item, i) => (i === step ? put(item, rest, value) : item))
  const below = put(Reflect.get(Object(u), step), rest, value)
  const { [step]: _, ...others } = Object(u)
  return below === undefined ? others : { ...others, [step]: below }
}

export const changed = (u: unknown, path: string, value: unknown): unknown =>
  put(u, steps(path), value)

export const without = (u: unknown, path: string): unknown => put(u, steps(path), undefined)
