/** The calls of the interface by the names that the client gives them. */
import type { AnyEndpoint } from '../../api/Endpoint.js'
import { tables } from '../../api/index.js'
import { similarName } from '../../options/index.js'
import { UsageError } from '../output.js'

/** A row with its name, such as `charges.retrieve`. */
export interface NamedRow {
  readonly name: string
  readonly row: AnyEndpoint
}

const { authentication: _, ...called } = tables // the client logs in by itself

/** Every call but the login. */
export const namedRows: ReadonlyArray<NamedRow> = Object.entries(called).flatMap(
  ([resource, table]) =>
    Object.entries(table).map(([name, row]) => ({ name: `${resource}.${name}`, row })),
)

/** Throws a `UsageError` for a name that no call has, with the one that was probably meant. */
export const rowByName = (name: string): NamedRow => {
  const found = namedRows.find((one) => one.name === name)
  if (found !== undefined) return found
  const [resource = ''] = name.split('.')
  const names = namedRows.map((one) => one.name)
  const meant = similarName(name, names)
  const siblings = names.filter((one) => one.startsWith(`${resource}.`))
  throw new UsageError(
    meant !== undefined
      ? `there is no such call: did you mean ${meant}?`
      : siblings.length > 0
        ? `there is no such call of ${resource}: there are ${siblings.join(', ')}`
        : 'there is no such call: see call --list',
  )
}
