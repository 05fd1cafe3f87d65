/** How long requests take: pure. */
import { login as LOGIN } from '../../api/authentication.js'
import { defined, E } from '../../fp.js'
import type { ClientEvent } from '../../http/ClientEvent.js'
import { oneLine } from '../../http/oneLine.js'
import { number, plural } from '../text.js'
import { adviceFor } from './broken.js'
import { type Finding, failed, ok, warning } from './Finding.js'
import type { ChargePage } from './firstPage.js'

/** Of the requests after the first, which had to connect, and what came of these: `pages`. */
export const checkRoundTrip = (
  pages: ReadonlyArray<ChargePage>,
  events: ReadonlyArray<ClientEvent>,
): Finding => {
  const times = events
    .flatMap((event) =>
      event._tag === 'Answered' && event.endpoint !== LOGIN.route && event.status < 300
        ? [event.took]
        : [],
    )
    .slice(1)
    .toSorted((a, b) => a - b)
  const [minMs, maxMs] = [times.at(0), times.at(-1)]
  const medianMs = times[Math.floor(times.length / 2)]
  const failures = pages.flatMap((page) => (E.isLeft(page) ? [page.left] : []))
  const [failure] = failures
  const why = failure === undefined ? '' : `: ${oneLine(failure.message)}`
  const advice = defined({ advice: failure && adviceFor(failure) })
  if (minMs === undefined || maxMs === undefined || medianMs === undefined) {
    return failed('round trip', `no page came after the first${why}`, advice)
  }
  const found = `${number(minMs)} ms at least, ${number(medianMs)} ms in the middle, ${number(maxMs)} ms at most, of ${plural(times.length, 'request')}`
  const facts = { minMs, medianMs, maxMs, requests: times.length, failed: failures.length }
  return failure === undefined
    ? ok('round trip', found, { facts })
    : warning('round trip', `${found}; ${number(failures.length)} failed${why}`, {
        facts,
        ...advice,
      })
}
