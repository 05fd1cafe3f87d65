/** `--sandbox`: a sandbox of a command's own, in place of an account. */
import { Option } from 'commander'
import type { Environment } from '../api/limits.js'
import type { SandboxOptions } from '../sandbox/index.js'
import type { Connection } from './connection.js'
import { SETTINGS } from './settings.js'

/** It takes the place of every other setting but the environment. */
export const sandboxOption = (words: string): Option => {
  const { environment: _, ...others } = SETTINGS
  return new Option('--sandbox', words).conflicts(Object.keys(others))
}

/** Does some work with a sandbox on a free port, and closes it however the work ends. */
export const withSandbox = async <A>(
  options: SandboxOptions & { readonly environment: Environment },
  work: (connection: Connection) => Promise<A>,
): Promise<A> => {
  const { listen, sandboxCredentials, sandboxPartner } = await import('../sandbox/index.js') // or not, to start fast
  const server = await listen(options)
  try {
    return await work({
      environment: options.environment,
      baseUrl: server.url,
      credentials: sandboxCredentials,
      partner: sandboxPartner,
    })
  } finally {
    await server.close()
  }
}
