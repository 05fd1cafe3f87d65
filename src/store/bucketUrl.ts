/** Hosts of buckets, built in the same way as by the AWS SDK; `test/store/bucketUrl.test.ts` compares the two. */

/** Settings that determine the host of a bucket. */
export interface BucketAddress {
  readonly bucket: string
  readonly region: string
  /** URL of a service other than AWS. */
  readonly endpoint?: string
  /** True to put the bucket into the host name of that service instead of the path. */
  readonly isVirtual?: boolean
  /** True to use FIPS hosts, with validated cryptography. */
  readonly isFips?: boolean
  /** True to use dual-stack hosts, with IPv4 and IPv6. */
  readonly isDualStack?: boolean
}

/** AWS partitions by prefix of their regions, with their domains. All other regions use `amazonaws.com`. */
const PARTITIONS: ReadonlyArray<readonly [RegExp, string]> = [
  [/^cn-/, 'amazonaws.com.cn'],
  [/^eusc-de-/, 'amazonaws.eu'],
  [/^us-iso-/, 'c2s.ic.gov'],
  [/^us-isob-/, 'sc2s.sgov.gov'],
  [/^eu-isoe-/, 'cloud.adc-e.uk'],
  [/^us-isof-/, 'csp.hci.ic.gov'],
]

/** Returns the URL of a bucket, ending with a slash; or the reason why there is none. Names with dots are put into the path. */
export const bucketUrl = (
  address: BucketAddress,
): { readonly url: string } | { readonly why: string } => {
  const { bucket, endpoint, isVirtual = false, isFips = false, isDualStack = false } = address
  if (endpoint !== undefined) {
    const variable = isFips ? 'AWS_USE_FIPS_ENDPOINT' : 'AWS_USE_DUALSTACK_ENDPOINT'
    if (isFips || isDualStack) return { why: `has its own endpoint: unset ${variable}` }
    const base = endpoint.replace(/\/+$/, '')
    if (!isVirtual) return { url: `${base}/${bucket}/` }
    const url = `${base.replace('://', `://${bucket}.`)}/`
    return URL.canParse(url)
      ? { url }
      : { why: 'needs an endpoint with a host name: unset AWS_VIRTUAL_HOSTED_STYLE_REQUEST' }
  }
  const region = address.region.replace(/^fips-|-fips$/, '')
  if (!/^[a-z0-9-]+$/i.test(region)) return { why: 'needs an AWS region: check AWS_REGION' }
  const needsFips = isFips || region !== address.region
  if (needsFips && region.startsWith('cn-')) {
    return { why: `has no FIPS endpoint in ${region}: unset AWS_USE_FIPS_ENDPOINT` }
  }
  const [, domain] = PARTITIONS.find(([regions]) => regions.test(region)) ?? ['', 'amazonaws.com']
  const service = `s3${needsFips ? '-fips' : ''}${isDualStack ? '.dualstack' : ''}`
  const host = `${service}.${region}.${domain}`
  return {
    url: bucket.includes('.') ? `https://${host}/${bucket}/` : `https://${bucket}.${host}/`,
  }
}
