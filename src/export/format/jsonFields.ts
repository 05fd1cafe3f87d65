/** Some fields of a row as JSON, in the order they are named, where they were: objects in objects. */
import type { Column } from '../column/Column.js'
import { jsonOf } from '../column/jsonOf.js'
import type { Numbers } from '../column/Numbers.js'
import { digitsReader, isObject, reader } from '../column/read.js'

/** The text of a field; undefined where the field is missing. */
type Write = (row: unknown) => string | undefined

/** The fields of an object by their names, in order. */
type Tree = Map<string, Tree | Write>

/** The JSON of a row, with these fields of it only. */
export const jsonFields = (
  columns: ReadonlyArray<Column>,
  numbers: Numbers,
): ((row: unknown) => string) => {
  const json = jsonOf(numbers)

  const writer = (path: ReadonlyArray<string>): Write => {
    const read = reader(path)
    const digits = digitsReader(path, numbers)
    return (row) => {
      const value = read(row)
      return value === undefined ? undefined : (digits(row) ?? json(value))
    }
  }

  const fields = (tree: Tree, path: ReadonlyArray<string>): Write => {
    const read = reader(path)
    const members = [...tree].map(([key, below]) => ({
      name: `${JSON.stringify(key)}:`,
      write: typeof below === 'function' ? below : fields(below, [...path, key]),
    }))
    return (row) => {
      const holder = read(row)
      if (!isObject(holder)) return holder === undefined ? undefined : json(holder)
      let text = ''
      for (const { name, write } of members) {
        const value = write(row)
        if (value !== undefined) text += `${text === '' ? '' : ','}${name}${value}`
      }
      return `{${text}}`
    }
  }

  const write = fields(treeOf(columns, writer), [])
  return (row) => write(row) ?? 'null'
}

/** Of an object and a field of it, the object: it has the field. */
const treeOf = (
  columns: ReadonlyArray<Column>,
  writer: (path: ReadonlyArray<string>) => Write,
): Tree => {
  const root: Tree = new Map()
  for (const { path } of columns) {
    let at: Tree | Write = root
    for (const [depth, key] of path.entries()) {
      if (typeof at === 'function') break
      const known: Tree | Write | undefined = at.get(key)
      const last = depth === path.length - 1
      const next: Tree | Write = last ? writer(path) : (known ?? new Map())
      at.set(key, next)
      at = next
    }
  }
  return root
}
