import fastify, { type FastifyInstance } from 'fastify'
import type { Receive } from './receive.ts'

export const fastifyApp = (receive: Receive): FastifyInstance => {
  const app = fastify()
  // only for this route: the others still parse JSON
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_: unknown, body: Buffer) => body)
    scope.post<{ Body: Buffer | undefined }>('/webhooks', async ({ headers, body }, reply) =>
      reply.code(await receive({ headers, body: body ?? '' })).send(),
    )
  })
  return app
}
