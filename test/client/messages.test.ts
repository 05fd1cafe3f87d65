/** Every message is one line that drives no terminal, whatever the texts are that it tells of. */
import type { Observable } from 'rxjs'
import { expect, it } from 'vitest'
import type { E } from '../../src/fp.js'
import type { Client, Failure } from '../../src/index.js'
import { CHARGE, lab, type Play } from '../support/lab.js'

const ODD = 'a\nb\r\u001b[31m\u0007\u0085\u2028\u202e\u2066c'

const named: Readonly<Record<string, unknown>> = { [ODD]: 10n }

const forever: Play = () => ({ body: { ...CHARGE, status: 'NEW' } })

const cut: Play = (_, nth) =>
  nth === 1
    ? { body: { items: [], page_after: ODD } }
    : { status: 400, body: { code: ODD, message: ODD } }

it.each<readonly [string, Play, (client: Client) => Observable<unknown>]>([
  ['a wait in vain', forever, ({ charges }) => charges.untilState({ id: ODD, limit: 300 })],
  [
    'a state that is waited for',
    forever,
    ({ charges }) => charges.untilState({ id: 'chg_1', states: [ODD], limit: 300 }),
  ],
  ['a parameter', forever, ({ charges }) => charges.list({ ...named })],
  ['a bookmark', cut, ({ batchTransfers }) => batchTransfers.list()],
  ['a bookmark of the caller’s', cut, (client) => client.webhooks.list().from({ page: ODD })],
])('%s', (_, play, call) => {
  const { client, run } = lab({ play })
  const failures = run(call(client)).flatMap(({ value }) => {
    const ea = value as E.Either<Failure, unknown>
    return ea._tag === 'Left' ? [ea.left] : []
  })
  expect(failures).toHaveLength(1)
  for (const { message } of failures) {
    expect(message).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u)
  }
})
