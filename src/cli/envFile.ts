/** Connection settings from files: any settings from `--env-file`, and the API key from a mounted secret. */
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { VARIABLES } from '../client/fromEnv.js'
import { didYouMean, similarName, type Variables } from '../options/index.js'
import { isSystemError } from '../store/FileSystem.js'
import { UsageError } from './output.js'
import { whyUnread } from './whyUnread.js'

const KEY = VARIABLES['credentials.apiKey'].name

/** Variable with the path of a file that contains the API key, mounted by an orchestrator. */
const KEY_FILE = `${KEY}_FILE`

const NAMES: ReadonlyArray<string> = [...Object.values(VARIABLES).map(({ name }) => name), KEY_FILE]

/**
 * Returns the variables with the settings from a file. Throws a `UsageError` that names a variable exported with a different
 * value, because the account would then depend on the shell.
 */
export const withEnvFile = (path: string, env: Variables): Variables => {
  const given = parseEnv(read('--env-file', path))
  const misspelt = Object.keys(given).find(
    (name) => !NAMES.includes(name) && similarName(name, NAMES) !== undefined,
  )
  if (misspelt !== undefined) {
    const meant = didYouMean(similarName(misspelt, NAMES))
    throw new UsageError(`--env-file: ${path} has ${misspelt}, which is not a setting${meant}`)
  }
  if (!NAMES.some((name) => given[name])) {
    throw new UsageError(
      `--env-file: ${path} has no settings: it should contain lines such as ${NAMES[1]}=...`,
    )
  }
  const other = NAMES.find((name) => env[name] && env[name] !== given[name])
  if (other !== undefined) {
    const has = given[other] === undefined ? 'but not set in' : 'with a different value than in'
    throw new UsageError(`${other} is exported ${has} ${path}: unset it, or leave out --env-file`)
  }
  return { ...env, ...Object.fromEntries(NAMES.map((name) => [name, given[name]])) }
}

/** Returns the variables with the API key from its file, if they name one. Throws a `UsageError` if they contain both. */
export const withKeyFile = (env: Variables): Variables => {
  const path = env[KEY_FILE]
  if (!path) return env
  if (env[KEY]) throw new UsageError(`${KEY} and ${KEY_FILE} are both set: unset one of them`)
  const key = read(KEY_FILE, path)
  if (key.trim() === '') throw new UsageError(`${KEY_FILE}: ${path} is empty`)
  return { ...env, [KEY]: key }
}

const read = (name: string, path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (!isSystemError(error)) throw error
    throw new UsageError(`${name}: ${whyUnread(path, error)}`)
  }
}
