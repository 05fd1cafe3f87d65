/** Parses `s3://bucket/prefix/`, and reads region, endpoint and credentials in the same way as the AWS tools. */
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { withoutUndefined } from '../fp.js'
import { InvalidOption, readVariable, type Variables } from '../options/index.js'
import { bucketUrl } from './bucketUrl.js'
import { storeError } from './StoreError.js'

export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** The session token of a role, whose credentials expire. */
  readonly sessionToken?: string
}

export interface S3Location {
  readonly bucket: string
  /** Prefix of keys; ends with a slash, or is empty. */
  readonly prefix: string
  readonly region: string
  /** URL of the bucket, ending with a slash. */
  readonly url: string
  /** Headers that select the encryption of each new object. */
  readonly encryption: Readonly<Record<string, string>>
  /** Called before the first request, and again when the service reports that the credentials have expired. */
  readonly credentials: () => Promise<S3Credentials>
}

/** Environment variables, and access to files. */
export interface S3Environment {
  readonly env: Variables
  /** Resolves with the text of a file, or with `undefined` if it is unreadable. */
  readonly readText: (path: string) => Promise<string | undefined>
}

/** Environment variables in use. */
const VARIABLES = [
  'AWS_ACCESS_KEY_ID',
  'AWS_CONFIG_FILE',
  'AWS_DEFAULT_REGION',
  'AWS_ENDPOINT_URL',
  'AWS_ENDPOINT_URL_S3',
  'AWS_PROFILE',
  'AWS_REGION',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SERVER_SIDE_ENCRYPTION',
  'AWS_SESSION_TOKEN',
  'AWS_SHARED_CREDENTIALS_FILE',
  'AWS_SSE_BUCKET_KEY_ENABLED',
  'AWS_SSE_KMS_KEY_ID',
  'AWS_USE_DUALSTACK_ENDPOINT',
  'AWS_USE_FIPS_ENDPOINT',
  'AWS_VIRTUAL_HOSTED_STYLE_REQUEST',
  'HOME',
] as const

type AwsVariable = (typeof VARIABLES)[number]

type AwsVariables = { readonly [Name in AwsVariable]?: string | undefined }

interface AwsEnvironment extends Pick<S3Environment, 'readText'> {
  readonly env: AwsVariables
}

/** Returns the environment of this process. `env`: variables to use instead. */
export const processEnvironment = (env: S3Environment['env'] = process.env): S3Environment => ({
  env,
  readText: (path) => readFile(path, 'utf8').catch(() => undefined),
})

/**
 * Reads a location. Rejects with an `UnusablePath` that names what is missing.
 *
 * Variables take precedence over the profile (`AWS_PROFILE`, or `default`) in `~/.aws/config` and `~/.aws/credentials`.
 * Profiles without keys (roles, SSO, containers, instances) require the package `@aws-sdk/credential-provider-node`.
 */
export const s3Location = async (
  url: string,
  { env: given, readText }: S3Environment,
): Promise<S3Location> => {
  const [, bucket = '', path = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/s.exec(url) ?? []
  if (bucket === '' || !isPrefix(path)) {
    // any other URL may contain credentials, or be signed
    const shown = /^s3:\/\/[\w./-]*$/.test(url) ? url : 's3://...'
    throw unusable(shown, 'should be s3://BUCKET/ or s3://BUCKET/PREFIX/')
  }
  const env = variablesOf(url, given)
  const environment = { env, readText }
  const profile = await profileOf(environment)
  const region = env.AWS_REGION || env.AWS_DEFAULT_REGION || profile.region
  if (!region) throw unusable(url, 'needs a region: set AWS_REGION')
  const isSet = (variable: AwsVariable, key?: string): boolean => {
    const value = env[variable] || (key && profile[key]) || 'false'
    if (/^(true|false)$/i.test(value)) return value.toLowerCase() === 'true'
    throw unusable(url, `needs true or false in ${variable}`)
  }
  const endpoint = env.AWS_ENDPOINT_URL_S3 || env.AWS_ENDPOINT_URL || profile.endpoint_url
  if (endpoint && !isEndpoint(endpoint)) {
    const why = 'needs an endpoint URL without user and password: check AWS_ENDPOINT_URL_S3'
    throw unusable(url, why)
  }
  const address = bucketUrl({
    ...{ bucket, region },
    ...(endpoint ? { endpoint } : {}),
    isVirtual: isSet('AWS_VIRTUAL_HOSTED_STYLE_REQUEST'),
    isFips: isSet('AWS_USE_FIPS_ENDPOINT', 'use_fips_endpoint'),
    isDualStack: isSet('AWS_USE_DUALSTACK_ENDPOINT', 'use_dualstack_endpoint'),
  })
  if ('why' in address) throw unusable(url, address.why)
  return {
    bucket,
    prefix: path,
    region: region.replace(/^fips-|-fips$/, ''),
    url: address.url,
    encryption: encryptionOf(url, env, isSet('AWS_SSE_BUCKET_KEY_ENABLED')),
    credentials: async () =>
      keysOf(env) ?? keysOf(await keysOfProfile(environment)) ?? providedKeys(url),
  }
}

/** Reads the variables. Throws an `UnusablePath` that names a variable with a control character. */
const variablesOf = (url: string, given: Variables): AwsVariables => {
  try {
    return Object.fromEntries(VARIABLES.map((name) => [name, readVariable(given, name)]))
  } catch (error) {
    throw error instanceof InvalidOption
      ? unusable(url, `cannot be reached: ${error.message}`)
      : error
  }
}

const isEndpoint = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return (
    url !== undefined && /^https?:$/.test(url.protocol) && `${url.username}${url.password}` === ''
  )
}

const ENCRYPTIONS: ReadonlyArray<string> = ['AES256', 'aws:kms', 'aws:kms:dsse']

/** Returns the headers of new objects. Throws an `UnusablePath` for an unknown kind of encryption. */
const encryptionOf = (
  url: string,
  env: AwsVariables,
  hasBucketKey: boolean,
): Readonly<Record<string, string>> => {
  const { AWS_SSE_KMS_KEY_ID: key } = env
  const kind = env.AWS_SERVER_SIDE_ENCRYPTION || (key ? 'aws:kms' : '')
  if (kind === '') return {}
  const name = 'x-amz-server-side-encryption'
  const isKms = kind.startsWith('aws:kms')
  if (!ENCRYPTIONS.includes(kind) || (key && !isKms)) {
    const kinds = `${ENCRYPTIONS.join(', ')}; the last two with AWS_SSE_KMS_KEY_ID`
    throw unusable(url, `needs one of these in AWS_SERVER_SIDE_ENCRYPTION: ${kinds}`)
  }
  return {
    [name]: kind,
    ...(key ? { [`${name}-aws-kms-key-id`]: key } : {}),
    ...(hasBucketKey && isKms ? { [`${name}-bucket-key-enabled`]: 'true' } : {}),
  }
}

/** The query of a signed URL. Such a query is secret. */
const SIGNED = /[?&](X-Amz-|AWSAccessKeyId=|Signature=)/i

/** Returns true for a prefix that is empty or ends with a slash. Parts made of dots would address another key in a URL. */
const isPrefix = (path: string): boolean =>
  path === '' ||
  (path.endsWith('/') &&
    !SIGNED.test(path) &&
    path
      .slice(0, -1)
      .split('/')
      .every((name) => !/^\.{1,2}$/.test(name)))

const unusable = (path: string, why: string) =>
  storeError('UnusablePath', `${path} ${why}`, { path, option: 'out' })

// credentials

const keysOf = (values: AwsVariables): S3Credentials | undefined => {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = values
  if (!accessKeyId || !secretAccessKey) return undefined
  const token = values.AWS_SESSION_TOKEN
  return { accessKeyId, secretAccessKey, ...(token ? { sessionToken: token } : {}) }
}

/** Returns credentials from the AWS SDK's provider chain, if it is installed. */
const providedKeys = async (url: string): Promise<S3Credentials> => {
  let provider: typeof import('@aws-sdk/credential-provider-node')
  try {
    provider = await import('@aws-sdk/credential-provider-node')
  } catch {
    throw unusable(
      url,
      'needs credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or install @aws-sdk/credential-provider-node for roles, SSO, containers and instances',
    )
  }
  try {
    const { accessKeyId, secretAccessKey, sessionToken } = await provider.defaultProvider()()
    return { accessKeyId, secretAccessKey, ...withoutUndefined({ sessionToken }) }
  } catch {
    throw unusable(
      url,
      'needs credentials, but neither the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY nor a profile, a role, a container or an instance has any',
    )
  }
}

// profiles

type Profile = Readonly<Record<string, string>>

const profileName = ({ env }: AwsEnvironment): string => env.AWS_PROFILE || 'default'

const profileOf = async (environment: AwsEnvironment): Promise<Profile> => {
  const name = profileName(environment)
  const text = await textOf(environment, 'AWS_CONFIG_FILE', 'config')
  return section(text, name === 'default' ? 'default' : `profile ${name}`)
}

const keysOfProfile = async (environment: AwsEnvironment) => {
  const text = await textOf(environment, 'AWS_SHARED_CREDENTIALS_FILE', 'credentials')
  const { aws_access_key_id, aws_secret_access_key, aws_session_token } = section(
    text,
    profileName(environment),
  )
  return withoutUndefined({
    AWS_ACCESS_KEY_ID: aws_access_key_id,
    AWS_SECRET_ACCESS_KEY: aws_secret_access_key,
    AWS_SESSION_TOKEN: aws_session_token,
  })
}

const textOf = async ({ env, readText }: AwsEnvironment, variable: AwsVariable, file: string) =>
  (await readText(env[variable] || join(env.HOME || homedir(), '.aws', file))) ?? ''

/** Reads a section of an INI file, ignoring nested settings. */
const section = (text: string, name: string): Profile => {
  const found: Record<string, string> = {}
  let isWanted = false
  for (const line of text.split(/\r?\n/)) {
    const header = /^\s*\[\s*([^\]]+?)\s*\]/.exec(line)
    if (header !== null) isWanted = header[1] === name
    const [, key, value] = /^([a-z_]+)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (isWanted && key !== undefined && value !== undefined) found[key] = value
  }
  return found
}
