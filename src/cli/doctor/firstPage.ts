/** What is made of the first page, which is the first to log in: pure. */
import { login as LOGIN } from '../../api/authentication.js'
import type { Position } from '../../api/Paging.js'
import type { Charge } from '../../codec/Charge.js'
import { millisOf } from '../../codec/Instant.js'
import type { DriftFact } from '../../decode/index.js'
import { fieldsOf } from '../../decode/unknown.js'
import { E } from '../../fp.js'
import type { ClientEvent } from '../../http/ClientEvent.js'
import type { Failure } from '../../http/Failure.js'
import { oneLine } from '../../http/oneLine.js'
import type { Page } from '../../stream/index.js'
import { duration, number, plural } from '../text.js'
import { failedBy } from './broken.js'
import { type Finding, failed, ok, skipped, warning } from './Finding.js'

// model

/** What came of asking for it. */
export type ChargePage = E.Either<Failure, Page<Failure, Charge, Position>>

/** A token that is good for less is renewed all the time, in ms. */
const SHORT_TOKEN = 120_000

// constructors

export const checkLogin = (first: ChargePage, events: ReadonlyArray<ClientEvent>): Finding => {
  const token = events.find((event) => event._tag === 'LoggedIn')
  if (token !== undefined) {
    const facts = { tokenMsLeft: token.validFor }
    const found = `accepted; the token is good for ${duration(token.validFor)}`
    return token.validFor < SHORT_TOKEN
      ? warning('login', found, { facts, advice: 'see whether the clock of this machine is right' })
      : ok('login', found, { facts })
  }
  return E.isLeft(first) ? failedBy('login', first.left) : skipped('login', 'nobody had to log in')
}

export const checkList = (first: ChargePage, drift: ReadonlyArray<DriftFact>): Finding => {
  if (E.isLeft(first)) {
    return first.left.endpoint === LOGIN.route
      ? skipped('list', 'nobody is logged in')
      : failedBy('list', first.left)
  }
  const { items } = first.right
  const bad = items.find(E.isLeft)
  const count = items.filter(E.isLeft).length
  const strange = drift.map(({ kind, path, example }) => oneLine(`${kind} ${path} (${example})`))
  const facts = { rows: items.length, undecodable: count, drift: strange }
  if (bad !== undefined) {
    return failed(
      'list',
      `${number(count)} of ${plural(items.length, 'charge')} did not decode: ${oneLine(bad.left.message)}`,
      {
        facts,
        advice: 'an export puts such rows aside, with the reason: report this to the maintainers',
      },
    )
  }
  const known = strange.length === 0 ? '' : `; new to this version: ${strange.join(', ')}`
  const found =
    items.length === 0
      ? 'there are no charges'
      : `${plural(items.length, 'charge')} came and decoded`
  return ok('list', `${found}${known}`, { facts })
}

/** By the times of the rows of one page, as they came. */
export const checkOrder = (rows: ReadonlyArray<unknown>): Finding => {
  const times = rows.map((row) => millisOf(fieldsOf(row).created_at))
  const steps = times.slice(1).map((time, i) => Math.sign(time - (times[i] ?? Number.NaN)))
  const [up, down] = [steps.includes(1), steps.includes(-1)]
  if (steps.some(Number.isNaN)) return unordered('rows without a time', 'unreadable')
  if (up && down) return unordered('neither oldest nor newest first', 'none')
  if (!up && !down) return skipped('order', 'too few charges to tell', { facts: { order: null } })
  return ok('order', `charges come ${up ? 'oldest' : 'newest'} first`, {
    facts: { order: up ? 'ascending' : 'descending' },
  })
}

const unordered = (found: string, order: string): Finding =>
  warning('order', found, {
    facts: { order },
    advice: 'snapshots need the order of time: an export may refuse this list',
  })
