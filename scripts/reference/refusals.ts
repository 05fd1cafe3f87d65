/** How a call is refused: the statuses, and the codes that come with them. */
import type { AnyEndpoint } from '../../src/api/Endpoint.js'

// model

export interface Refusal {
  readonly status: string
  /** True if the interface lists it. */
  readonly isListed: boolean
  /** As the interface names them; it may name none. */
  readonly codes: ReadonlyArray<string>
  /** Other codes that were seen: defaults, not specified by the API description. */
  readonly seen: ReadonlyArray<string>
}

// constructors

/** The refusals of every call that lists no others. */
export const CREDENTIALS = ['credentials_invalid', 'credentials_expired']

/** The statuses of a call's refusals, in their order. */
export const refusals = ({ errors, otherErrors }: AnyEndpoint): ReadonlyArray<Refusal> => {
  const listed: Readonly<Record<string, ReadonlyArray<string> | undefined>> = {
    ...(otherErrors.length === 0 ? {} : { 400: [] }),
    401: CREDENTIALS,
    429: ['too_many_requests'],
    500: [],
    ...errors,
  }
  return Object.entries(listed).map(([status, codes = []]) => ({
    status,
    isListed: status !== '400' || errors[400] !== undefined,
    codes,
    seen: status === '400' ? otherErrors.filter((code) => !codes.includes(code)) : [],
  }))
}

/** For people. */
export const meanings: Readonly<Record<string, string>> = {
  400: 'Refused.',
  401: 'The credentials are invalid or have expired.',
  403: 'Forbidden.',
  404: 'Not found.',
  409: 'The resource already exists.',
  500: 'The service is unavailable.',
}
