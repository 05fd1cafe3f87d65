/** API calls by their names in the client. */
import type { AnyEndpoint } from '../../api/Endpoint.js'
import { tables } from '../../api/index.js'
import { similarName } from '../../options/index.js'
import { UsageError } from '../output.js'

/** A row with its name, such as `charges.retrieve`. */
export interface NamedRow {
  readonly name: string
  readonly row: AnyEndpoint
}

const { authentication: _, ...called } = tables // the client logs in automatically

/** Every call except the login. */
export const namedRows: ReadonlyArray<NamedRow> = Object.entries(called).flatMap(
  ([resource, table]) =>
    Object.entries(table).map(([name, row]) => ({ name: `${resource}.${name}`, row })),
)

/** Finds a call by name. Throws a `UsageError` that suggests the closest name if the name is unknown. */
export const rowByName = (name: string, [next]: ReadonlyArray<string> = []): NamedRow => {
  const found = namedRows.find((one) => one.name === name)
  if (found !== undefined) return found
  const [resource = ''] = name.split('.')
  const names = namedRows.map((one) => one.name)
  const meant =
    similarName(next === undefined ? name : `${name}.${next}`, names) ?? similarName(name, names)
  const siblings = names.filter((one) => one.startsWith(`${resource}.`))
  throw new UsageError(
    meant !== undefined
      ? `unknown call: did you mean ${meant}?`
      : siblings.length > 0
        ? `unknown ${resource} call: choose one of ${siblings.join(', ')}`
        : 'unknown call: see call --list',
  )
}
