import { createHash } from 'node:crypto'

// model

/** Whose data it is. No secret is needed to tell accounts apart. */
export interface Account {
  /** Where the platform is. */
  readonly baseUrl: string
  /** Whose keys are used. */
  readonly clientId: string
  /** The account that is logged in as, of keys for several. */
  readonly loginAs?: string
  /** The connected account that is acted for. */
  readonly onBehalfOf?: string
}

// constructors

/** SHA-256 in hex: the same for the same account, and tells nothing else. */
export const accountOf = ({ baseUrl, clientId, loginAs, onBehalfOf }: Account): string =>
  createHash('sha256')
    .update(JSON.stringify([baseUrl.replace(/\/+$/, ''), clientId, loginAs, onBehalfOf]))
    .digest('hex')
