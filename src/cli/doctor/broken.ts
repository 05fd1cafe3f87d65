/** A failure as a finding, with what to do about it. */
import { defined } from '../../fp.js'
import type { Failure } from '../../http/Failure.js'
import { oneLine } from '../../http/oneLine.js'
import { type Finding, failed } from './Finding.js'

export const failedBy = (check: 'login' | 'list', failure: Failure): Finding =>
  failed(check, oneLine(failure.message), {
    facts: { failure: failure._tag },
    ...defined({ advice: adviceFor(failure) }),
  })

/** What to do about it, if anything. */
export const adviceFor = (failure: Failure): string | undefined => {
  switch (failure._tag) {
    case 'Unauthorized':
      return 'check PAYMENTS_CLIENT_ID and PAYMENTS_API_KEY, and that they are of the environment that the base URL is of'
    case 'Refused':
      return 'check the base URL, and what the keys may do'
    case 'Undecodable':
      return failure.path === 'has_more'
        ? 'no list can be told to be whole: this is for the service to mend'
        : 'check the base URL: this is not how the platform answers'
    case 'Throttled':
      return 'somebody else uses this account up: try again, and take a part with --share'
    case 'Unreachable':
      return failure.code === 'FETCH_FAILED'
        ? 'see whether a proxy stands between that wants a login'
        : AGAIN
    case 'ServerFault':
    case 'TimedOut':
      return AGAIN
    default:
      return undefined
  }
}

const AGAIN = 'try again; if it stays so, it is for the service to mend'
