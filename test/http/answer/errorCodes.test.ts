/** Meanings of error codes, for callers and for the client itself. */
import { describe, expect, it } from 'vitest'
import { E } from '../../../src/fp.js'
import {
  api,
  codes,
  hasCode,
  isDuplicate,
  isInProgress,
  isInsufficientFunds,
  type Refused,
} from '../../../src/index.js'
import { CHARGE, CREATE, lab, NEW_CHARGE, type Play, problem } from '../../support/lab.js'

const refusal = (code: string, status = 400): Refused => ({
  _tag: 'Refused',
  endpoint: CREATE,
  attempts: 1,
  status,
  code,
  message: `${CREATE}: ${status} ${code}`,
})

const other = refusal('invalid_argument')

describe('a failure', () => {
  it.each(codes.duplicate)('with %s is a duplicate, and not in progress', (code) => {
    expect([400, 409].map((status) => isDuplicate(refusal(code, status)))).toEqual([true, true])
    expect(isInProgress(refusal(code, 409))).toBe(false)
    expect(isDuplicate(other)).toBe(false)
  })

  it.each(['insufficient_fund', 'insufficient_funds', 'balance_insufficient'])(
    'with %s is short of money',
    (code) => {
      expect([refusal(code), other].map(isInsufficientFunds)).toEqual([true, false])
    },
  )

  it('is in progress by its code, or by a 409 with any other', () => {
    const all = [refusal('request_pending'), refusal('whatever', 409), refusal('whatever', 400)]
    expect(all.map(isInProgress)).toEqual([true, true, false])
  })

  it.each([api.batchTransfers.submit, api.charges.retrieve, api.webhooks.update])(
    'from $route is in progress by its code alone',
    ({ route: endpoint }) => {
      const all = [refusal('request_pending', 409), refusal('whatever', 409)]
      expect(all.map((one) => isInProgress({ ...one, endpoint }))).toEqual([true, false])
    },
  )

  it.each([api.batchTransfers.addItems.route, 'POST /api/v1/transfers/create'])(
    'from %s is in progress by any 409 that is no duplicate',
    (endpoint) => {
      const all = [refusal('whatever', 409), refusal('already_exists', 409)]
      expect(all.map((one) => isInProgress({ ...one, endpoint }))).toEqual([true, false])
    },
  )

  it('may have a code of the caller’s own', () => {
    const mine = hasCode(...codes.insufficientFunds, 'wallet_empty')
    const all = [refusal('wallet_empty'), refusal('insufficient_fund'), other]
    expect(all.map(mine)).toEqual([true, true, false])
  })

  it('that may have been done has no code', () => {
    const cause = refusal('insufficient_fund')
    const open = { ...cause, _tag: 'Ambiguous', tried: [], cause } as const
    const { code: _, status: __, ...ambiguous } = open
    expect(isInsufficientFunds(ambiguous)).toBe(false)
  })
})

describe('the option `codes`', () => {
  /** How often a charge is sent that is answered so, and then made. */
  const sent = (first: ReturnType<Play>, option: Partial<typeof codes>): number => {
    const all = lab({
      play: ({ route }, nth) =>
        route === CREATE && nth === 1 ? first : { status: 201, body: CHARGE },
      codes: option,
    })
    all.run(all.client.charges.create(NEW_CHARGE))
    return all.calls().filter(({ route }) => route === CREATE).length
  }

  it.each([
    ['fault', problem(400, 'try_later')],
    ['inProgress', problem(400, 'still_busy')],
  ] as const)('%s: these are sent again, and those of the default no more', (name, reply) => {
    const said = String(Object(reply.body).code)
    expect(sent(reply, {})).toBe(1)
    expect(sent(reply, { [name]: [...codes[name], said] })).toBe(2)
    const usual = problem(400, codes[name][0] ?? '')
    expect([sent(usual, {}), sent(usual, { [name]: [said] })]).toEqual([2, 1])
  })

  it('duplicate: a 409 with one of these is not retried', () => {
    const reply = problem(409, 'seen_before')
    expect([sent(reply, {}), sent(reply, { duplicate: ['seen_before'] })]).toEqual([2, 1])
  })

  it('keeps the default of each that is undefined', () => {
    const none: Readonly<Record<string, unknown>> = { fault: undefined }
    expect(sent(problem(400, 'service_unavailable'), none)).toBe(2)
  })

  it('does not change the outcome', () => {
    const all = lab({ play: () => problem(400, 'try_later'), codes: { fault: ['try_later'] } })
    expect(all.run(all.client.charges.retrieve({ id: 'chg_1' }))[0]?.value).toMatchObject(
      E.left({ _tag: 'ServerFault', status: 400, code: 'try_later' }),
    )
  })
})
