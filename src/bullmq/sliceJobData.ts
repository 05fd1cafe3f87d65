/** Jobs as data from outside: whatever can write to Redis can give them. */
import { realpath } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'
import * as t from 'io-ts'
import { causes } from '../decode/index.js'
import { PlannedSlice } from '../export/slices/SlicePlan.js'
import { E, withoutUndefined } from '../fp.js'
import type { OptionRule } from '../options/index.js'
import { isS3 } from '../store/S3Location.js'
import type { SliceJob } from './sliceQueue.js'

// the data

/** The most characters of a text in a job. */
const MOST = 1_024

/** A text of more fields than a slice has is not looked at. */
const MOST_JSON = 64 * MOST

const job = t.intersection([
  t.type({ out: t.string, slice: PlannedSlice }),
  t.partial({ maxRejects: t.number, stalls: t.number }),
])

const isBounded = (u: unknown): boolean =>
  typeof u === 'string'
    ? u.length <= MOST
    : typeof u !== 'object' || u === null || Object.entries(u).flat().every(isBounded)

/** Returns a job as it came, or why it is none, in words that show nothing of it. */
export const jobOf = (u: unknown): E.Either<string, SliceJob> => {
  const json = E.tryCatch(
    () => JSON.stringify(u) ?? '',
    () => 'nested too deeply',
  )
  if (E.isLeft(json) || json.right.length > MOST_JSON || !isBounded(u)) {
    return E.left(`the job has a text of more than ${MOST} characters`)
  }
  const read = job.decode(u)
  if (E.isLeft(read)) {
    const [{ path, expected, actual }] = causes(read.left)
    return E.left(
      `the job is none of a slice: ${path || 'it'} should be ${expected}, and is ${actual}`,
    )
  }
  const { out, slice, maxRejects, stalls } = read.right
  const hasControls = /\p{Cc}/u.test(out)
  const isPlace = !hasControls && /[^/]\/$/.test(out) && (isS3(out) || !out.includes('://'))
  if (!isPlace) return E.left('the job is none of a slice: out should be a folder or a prefix')
  return E.right({ out, slice, ...withoutUndefined({ maxRejects, stalls }) })
}

// where it may write

/** Accepts folders and `s3://` prefixes, which end with a slash. */
export const allowRule: OptionRule<ReadonlyArray<string>> = {
  accepts: (u) =>
    Array.isArray(u) &&
    u.length > 0 &&
    u.every((one) => typeof one === 'string' && /[^/]\/$/.test(one)),
  expected: 'a list of folders and s3:// prefixes, each with a slash at its end',
}

/** Returns whether a folder or prefix of a job is one of those, or below one, through whichever links. */
export const isAllowed = async (allow: ReadonlyArray<string>, out: string): Promise<boolean> => {
  if (isS3(out)) {
    const isPlain = out
      .slice('s3://'.length, -1)
      .split('/')
      .every((name) => !/^\.{0,2}$/.test(name))
    return isPlain && allow.some((prefix) => isS3(prefix) && out.startsWith(prefix))
  }
  const place = await placeOf(out)
  const places = await Promise.all(allow.filter((prefix) => !isS3(prefix)).map(placeOf))
  return places.some((folder) =>
    `${place}${sep}`.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`),
  )
}

/** Resolves a path through the links of those of its folders that are there. */
const placeOf = async (path: string): Promise<string> => {
  const whole = resolve(path)
  const above = dirname(whole)
  return realpath(whole).catch(async () =>
    above === whole ? whole : join(await placeOf(above), whole.slice(above.length)),
  )
}
