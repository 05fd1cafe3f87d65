import type { Example } from './Example.js'

export const authentication: ReadonlyArray<Example> = [
  {
    route: 'POST /api/v1/authentication/login',
    params: { client_id: 'me', api_key: 'key', login_as: 'acct_1' },
    sent: {
      target: '/api/v1/authentication/login',
      headers: { 'x-client-id': 'me', 'x-api-key': 'key', 'x-login-as': 'acct_1' },
      body: {},
    },
    answer: { token: 'eyJhbGciOi.J9.x_y-z', expires_at: '2026-01-10T09:00:00+0000' },
  },
]
