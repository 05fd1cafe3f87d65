import type { Observable } from 'rxjs'
import type { AnyEndpoint } from '../api/Endpoint.js'
import type { DriftFact } from '../decode/index.js'
import { ROW_LEVELS } from '../decode/levels.js'
import { defined, type IO } from '../fp.js'
import type { CallSettings } from '../http/CallSettings.js'
import type { ClientEvent } from '../http/ClientEvent.js'
import type { ClientRuntime } from '../http/ClientRuntime.js'
import type { ListOrigin } from '../http/list/ListDescription.js'
import type { ListLimits } from '../http/list/plan.js'
import { scrubAll, scrubber } from '../http/secrets/scrub.js'
import type { ClientOptions } from './ClientOptions.js'

/** Returns what a list says of the client that it belongs to. */
export const originOf =
  (
    { credentials, partner, numbers = 'fast' }: ClientOptions,
    engine: Pick<ClientRuntime, 'secrets'>,
    pace: ListLimits,
    events: Observable<ClientEvent>,
    drift: IO<ReadonlyArray<DriftFact>>,
  ) =>
  ({ auth }: AnyEndpoint, { baseUrl, apiVersion, onBehalfOf }: CallSettings): ListOrigin => {
    const keys = credentials === undefined || 'token' in credentials ? undefined : credentials
    const account = {
      clientId: keys?.clientId,
      loginAs: keys?.loginAs,
      onBehalfOf,
      apiVersion,
    }
    const application = { clientId: partner?.clientId }
    return {
      baseUrl,
      ...defined(auth === 'basic' ? application : account),
      numbers,
      perSecond: Math.min(pace.global, pace.endpoint),
      events,
      drift,
      scrub: (u) => scrubAll(scrubber(engine.secrets.all()), ROW_LEVELS)(u),
    }
  }
