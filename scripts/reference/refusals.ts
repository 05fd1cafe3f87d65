/** The statuses with which a call is refused, and their codes. */
import type { AnyEndpoint } from '../../src/api/Endpoint.js'

// model

export interface Refusal {
  readonly status: string
  /** True if the API description lists it. */
  readonly isListed: boolean
  /** The codes that the API description names, if any. */
  readonly codes: ReadonlyArray<string>
  /** Other codes that were seen (our assumption: not in the API description). */
  readonly seen: ReadonlyArray<string>
}

// constructors

/** The refusals of every call that lists no others for this status. */
export const CREDENTIALS = ['credentials_invalid', 'credentials_expired']

/** Returns the statuses of a call's refusals, in order. */
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

/** Explanations for readers. */
export const meanings: Readonly<Record<string, string>> = {
  400: 'Refused.',
  401: 'The credentials are invalid or have expired.',
  403: 'Forbidden.',
  404: 'Not found.',
  409: 'The resource already exists.',
  500: 'The service is unavailable.',
}
