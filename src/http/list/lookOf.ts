import type { AnyList } from '../../api/Endpoint.js'
import { strayed } from '../../api/Paging.js'
import type { Drift } from '../../decode/index.js'
import { redact } from '../../decode/redact.js'
import { O } from '../../fp.js'
import type { EnvelopeCheck } from '../answer/readAnswer.js'

/** Tells where an envelope does not go on as its row says, and objects to an end that nobody said. */
export const envelopeCheck =
  (
    { route, paging }: Pick<AnyList, 'route' | 'paging'>,
    strictEnd: boolean,
    drift?: Drift,
  ): EnvelopeCheck =>
  (position, envelope) => {
    const stray = strayed(paging, position, envelope)
    if (O.isNone(stray)) return undefined
    const { path, value } = stray.value
    drift?.found(route, path, 'other paging', value)
    const isUnsaid = path === 'has_more' && typeof value !== 'boolean'
    return strictEnd && isUnsaid
      ? { path, expected: 'true or false', actual: value === undefined ? 'missing' : redact(value) }
      : undefined
  }
