import express, { type Express } from 'express'
import type { Receive } from './receive.ts'

/** Register this route before `express.json()`, which would parse the body. */
export const expressApp = (receive: Receive): Express =>
  express().post(
    '/webhooks',
    express.raw({ type: () => true, limit: '1mb' }),
    async (request, response) => {
      const { headers, body = '' } = request
      response.status(await receive({ headers, body })).end()
    },
  )
