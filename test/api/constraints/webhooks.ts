import { at, type Constraint } from './Constraint.js'
import { lengthOf, needed, pageSize } from './shared.js'

const event = { good: [['account.active', 'anything.else'], []] }

const version = {
  good: ['2026-08-21'],
  bad: [undefined, '2026-8-21', '20260821', '2026-02-30', '2026-08-21T00:00:00Z', 'latest'],
  expected: 'a date in the form YYYY-MM-DD',
}

const both = (name: string) =>
  [`POST /api/v1/webhooks/${name}`, `POST /partner-api/v1/webhooks/${name}`] as const

export const webhooks: ReadonlyArray<Constraint> = [
  ...both('create').flatMap((route) => [
    {
      route,
      field: 'events',
      good: event.good,
      bad: [undefined, 'account.active'],
      expected: 'a list of event types',
    },
    { route, field: 'request_id', ...lengthOf(1, 50) },
    { route, field: 'url', ...needed },
    { route, field: 'version', ...version },
  ]),
  ...both('{id}/update').flatMap((route) => at(route, ['id', 'url'], needed)),
  ...both('{id}/delete').flatMap((route) => at(route, ['id'], needed)),
  { route: 'GET /api/v1/webhooks/{id}', field: 'id', ...needed },
  {
    route: 'GET /api/v1/webhooks',
    field: 'page_size',
    ...pageSize(1, 20),
    bad: [0, 2.5],
    expected: 'a whole number from 1',
  },
  {
    route: 'GET /partner-api/v1/webhooks',
    field: 'page_num',
    good: [undefined, 0, 7],
    bad: [-1],
    expected: 'a whole number from 0',
  },
  {
    route: 'POST /partner-api/v1/webhooks/{id}/connect',
    field: 'account_id',
    good: [undefined, 'acct_1'],
    bad: [7],
    expected: 'string',
  },
  {
    route: 'POST /partner-api/v1/webhooks/{id}/disconnect',
    field: 'account_id',
    ...needed,
  },
]
