/** Parameters of a call as command-line arguments: `name=value`, `@file` and `-`. */
import { type AnyEndpoint, paramsAt } from '../../api/Endpoint.js'
import { type Cause, parameterCauses } from '../../decode/causes.js'
import { isRecord, parsed } from '../../decode/unknown.js'
import { E } from '../../fp.js'
import { UsageError } from '../output.js'

/** Reads the text of the file that an argument names, or the text of stdin for `-`. */
export type ReadText = (source: string) => Promise<string>

/** A parameter, with its values in the given order. */
interface GivenParam {
  /** `funding_source.id` is `['funding_source', 'id']`. */
  readonly path: ReadonlyArray<string>
  readonly texts: ReadonlyArray<string>
}

const CARD_HEADER = 'header x-pan'

/** Returns the parameters of a row. Throws a `UsageError` for any other argument, without quoting that argument. */
export const callParams = async (
  row: AnyEndpoint,
  args: ReadonlyArray<string>,
  read: ReadText,
  now: number,
): Promise<unknown> => {
  let params: unknown = {}
  const given = new Map<string, GivenParam>()
  for (const [i, arg] of args.entries()) {
    if (isSource(arg)) {
      params = merged(params, wholeBody(row, await readJson(arg, read)))
      continue
    }
    const at = arg.indexOf('=')
    const name = arg.slice(0, Math.max(0, at))
    if (!/^[A-Za-z]\w*(\.[\w-]+)*$/.test(name)) {
      throw new UsageError(
        `parameter ${i + 1} should be name=value, ${pathParam(row)}@file.json or -: see call NAME --help`,
      )
    }
    const text = await argumentText(row, name, arg.slice(at + 1), read)
    const texts = [...(given.get(name)?.texts ?? []), text]
    given.set(name, { path: name.split('.'), texts })
  }
  return [...given.values()].reduce((all, one) => withValue(row, all, one, now), params)
}

/** Returns `such as id=..., ` for a row that has a path parameter. */
const pathParam = ({ route }: AnyEndpoint): string => {
  const [, name] = /\{(\w+)\}/.exec(route) ?? []
  return name === undefined ? '' : `such as ${name}=..., `
}

const isSource = (text: string): boolean => text === '-' || /^@[^@]/.test(text)

const readJson = async (source: string, read: ReadText): Promise<unknown> => {
  const json = parsed(await read(source))
  if (json === undefined) {
    throw new UsageError(`${source === '-' ? 'stdin' : source.slice(1)} is not JSON`)
  }
  return json
}

/** Wraps a list in the parameter that is the whole body, for example the items of an upload. */
const wholeBody = (row: AnyEndpoint, json: unknown): unknown => {
  if (!Array.isArray(json)) return json
  const [name] = Object.entries(row.at).find(([, place]) => place === 'whole body') ?? []
  if (name === undefined)
    throw new UsageError('the body of this call should be an object, not a list')
  return { [name]: json }
}

const merged = (params: unknown, more: unknown): unknown =>
  isRecord(params) && isRecord(more) ? { ...params, ...more } : more

/** Returns the text of an argument; `@@x` is `@x`. Rejects card numbers, which other users of the machine could see. */
const argumentText = async (
  row: AnyEndpoint,
  name: string,
  text: string,
  read: ReadText,
): Promise<string> => {
  if (isSource(text)) return (await read(text)).replace(/\r?\n$/, '')
  if (row.at[name] === CARD_HEADER) {
    throw new UsageError(
      `${name} is a card number: pass it as ${name}=- (stdin) or ${name}=@file, never as an argument`,
    )
  }
  return text.startsWith('@@') ? text.slice(1) : text
}

/** Sets a parameter to the value that the row's codec accepts, trying text first, then JSON, then a list. */
const withValue = (row: AnyEndpoint, params: unknown, { path, texts }: GivenParam, now: number) => {
  const [text = ''] = texts
  const json = parsed(text)
  const candidates: ReadonlyArray<unknown> =
    texts.length > 1 ? [texts] : [text, ...(json === undefined ? [] : [json]), [text]]
  const all = candidates.map((value) => valueAt(params, path, value))
  const causes = all.map((one) => causesOf(row, one, now).filter(isWithin(path)))
  const fits = all.find((_, i) => causes[i]?.length === 0)
  // an object with an invalid field is still an object, and its own error names the field; the same holds for a number out of
  // range
  const expected = causes[0]?.[0]?.expected ?? ''
  const isNumber = typeof json === 'number' && /\b(?:a|whole) number\b/.test(expected) // not a card number
  return fits ?? (isRecord(json) || isNumber ? all[1] : all[0])
}

const causesOf = (row: AnyEndpoint, params: unknown, now: number): ReadonlyArray<Cause> => {
  const decoded = paramsAt(now)(row).decode(params)
  return E.isLeft(decoded) ? parameterCauses(decoded.left) : []
}

/** Returns a function that tests whether a cause is at or below a path, which is written as `items[0].amount`. */
const isWithin = (path: ReadonlyArray<string>): ((cause: Cause) => boolean) => {
  const [first = '', ...rest] = path
  const start = rest.reduce(
    (at, key) => (/^\d+$/.test(key) ? `${at}[${key}]` : `${at}.${key}`),
    first,
  )
  return (cause) =>
    cause.path === start || cause.path.startsWith(`${start}.`) || cause.path.startsWith(`${start}[`)
}

/** Returns a copy of `holder` with a value at a path. A key that consists of digits is a list index. */
const valueAt = (
  holder: unknown,
  [key, ...rest]: ReadonlyArray<string>,
  value: unknown,
): unknown => {
  if (key === undefined) return value
  const isIndex = /^\d{1,3}$/.test(key)
  if (isIndex && (holder === undefined || Array.isArray(holder))) {
    const list: Array<unknown> = Array.from(holder ?? [])
    list[Number(key)] = valueAt(list[Number(key)], rest, value)
    return Array.from(list, (item) => item ?? null)
  }
  const fields = isRecord(holder) ? holder : {}
  const inner = Object.hasOwn(fields, key) ? fields[key] : undefined
  return { ...fields, [key]: valueAt(inner, rest, value) }
}
