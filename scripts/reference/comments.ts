/**
 * The doc comments of fields, read from `src/codec`. An editor shows them in hovers; here they become the notes of the
 * reference. A codec keeps no comment at run time, so the comments of an object are found by the names of its fields.
 */
import { readdirSync, readFileSync } from 'node:fs'

type Comments = Readonly<Record<string, string>>

interface Frame {
  readonly names: Array<string>
  readonly comments: Record<string, string>
}

const TOKEN =
  /\/\*\*(?<comment>[\s\S]*?)\*\/|\/\/.*|'(?:[^'\\\n]|\\.)*'|(?<key>\w+)(?=\s*[:,}])|(?<open>\{)|(?<close>\})|(?<comma>,)|(?<other>\S)/g

/** Joins the lines of a comment, and drops references to chapters of the API description. */
const words = (comment: string): string =>
  comment
    .replaceAll(/\n\s*\* ?/g, ' ')
    .replaceAll(/ \((?:default, not specified by the )?interface\b[^)]*\)/g, '')
    .trim()

/** Returns the objects of a source text whose fields have comments. */
const objectsOf = (source: string): ReadonlyArray<Frame> => {
  const found: Array<Frame> = []
  const open: Array<Frame> = []
  let comment: string | undefined
  let isAtKey = false
  for (const { groups = {} } of source.matchAll(TOKEN)) {
    const frame = open.at(-1)
    if (groups.comment !== undefined) {
      comment = words(groups.comment)
      continue
    }
    if (groups.key !== undefined && isAtKey && frame !== undefined) {
      frame.names.push(groups.key)
      if (comment !== undefined) frame.comments[groups.key] = comment
    }
    if (groups.open !== undefined) open.push({ names: [], comments: {} })
    if (groups.close !== undefined) {
      const closed = open.pop()
      if (closed !== undefined && Object.keys(closed.comments).length > 0) found.push(closed)
    }
    isAtKey = groups.open !== undefined || groups.comma !== undefined
    comment = undefined
  }
  return found
}

const idOf = (names: ReadonlyArray<string>): string => names.toSorted().join(' ')

const folder = new URL('../../src/codec/', import.meta.url)

const all = readdirSync(folder)
  .filter((name) => name.endsWith('.ts'))
  .flatMap((name) => objectsOf(readFileSync(new URL(name, folder), 'utf8')))

/** Returns the comments of the object that has these fields, except for fields that several objects describe differently. */
export const commentsOf = (names: ReadonlyArray<string>): Comments => {
  const found = all.filter((one) => idOf(one.names) === idOf(names))
  return Object.fromEntries(
    names.flatMap((name) => {
      const [first, ...others] = new Set(found.map(({ comments }) => comments[name]))
      return first === undefined || others.length > 0 ? [] : [[name, first]]
    }),
  )
}
