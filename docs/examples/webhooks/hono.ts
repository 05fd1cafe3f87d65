import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { Receive } from './receive.ts'

export const honoApp = (receive: Receive): Hono =>
  new Hono().post('/webhooks', bodyLimit({ maxSize: 1_048_576 }), async ({ req }) => {
    const { headers } = req.raw
    return new Response(null, { status: await receive({ headers, body: await req.arrayBuffer() }) })
  })
