import { plural } from '../../report/text.js'

/** Names what a run was to remove, and the credentials may not. */
export const unremovedNotes = ({
  unremoved = [],
}: {
  readonly unremoved?: ReadonlyArray<string>
} = {}): ReadonlyArray<string> => {
  const [first] = unremoved
  if (first === undefined) return []
  const many = plural(unremoved.length, 'object')
  const advice = 'grant s3:DeleteObject, or read only the files in the manifest'
  return [
    `${many} not removed, since the credentials may not: ${first}${unremoved.length > 1 ? ' and others' : ''}; ${advice}`,
  ]
}

/** The end of a last line: `, 3 objects not removed`; empty where nothing is left. */
export const unremovedEnd = (progress: Parameters<typeof unremovedNotes>[0]): string => {
  const { length } = progress?.unremoved ?? []
  return length === 0 ? '' : `, ${plural(length, 'object')} not removed`
}
