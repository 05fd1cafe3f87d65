import { type Client, type ClientOptions, createClient } from '../../src/index.js'
import { sandboxCredentials } from '../../src/sandbox/index.js'

/** A client of an embedded sandbox, using its `fetch` or a wrapper of it. */
export const sandboxClient = (
  fetch: NonNullable<ClientOptions['fetch']>,
  options: Partial<ClientOptions> = {},
): Client =>
  createClient({
    ...{ baseUrl: 'https://sandbox', credentials: sandboxCredentials, fetch },
    ...options,
  })
