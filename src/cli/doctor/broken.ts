/** A failure as a finding, with what to do about it. */
import type { Failure } from '../../http/Failure.js'
import { oneLine } from '../../http/oneLine.js'
import { type Finding, failed } from './Finding.js'

export const broken = (check: 'login' | 'list', failure: Failure): Finding =>
  failed(check, oneLine(failure.message), {
    facts: { failure: failure._tag },
    ...adviceFor(failure),
  })

export const adviceFor = (failure: Failure): { readonly advice?: string } => {
  switch (failure._tag) {
    case 'Unauthorized':
      return {
        advice:
          'check PAYMENTS_CLIENT_ID and PAYMENTS_API_KEY, and that they are of the environment that the base URL is of',
      }
    case 'Refused':
      return { advice: 'check the base URL, and what the keys may do' }
    case 'Undecodable':
      return failure.path === 'has_more'
        ? { advice: 'no list can be told to be whole: this is for the service to mend' }
        : { advice: 'check the base URL: this is not how the platform answers' }
    case 'Throttled':
      return {
        advice: 'somebody else uses this account up: try again, and take a part with --share',
      }
    case 'Unreachable':
      return failure.code === 'FETCH_FAILED'
        ? { advice: 'see whether a proxy stands between that wants a login' }
        : { advice: AGAIN }
    case 'ServerFault':
    case 'TimedOut':
      return { advice: AGAIN }
    default:
      return {}
  }
}

const AGAIN = 'try again; if it stays so, it is for the service to mend'
