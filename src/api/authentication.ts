import { LoginParams, Session } from '../codec/common.js'
import { endpoint } from './Endpoint.js'

export const authentication = {
  /** Opens a session: a bearer token for 30 minutes. The client does this automatically. */
  login: endpoint('POST /api/v1/authentication/login', {
    params: LoginParams,
    success: Session,
    status: 201,
    at: {
      client_id: 'header x-client-id',
      api_key: 'header x-api-key',
      login_as: 'header x-login-as',
    },
    repeatable: 'as it is',
    auth: 'none',
    unspecified: ['params', 'success'],
  }),
}

export const { login } = authentication
