import type { Receive } from './receive.ts'

/** For `app/webhooks/route.ts`: `export const { POST } = nextRoute(receive)`. */
export const nextRoute = (receive: Receive) => ({
  POST: async (request: Request): Promise<Response> => {
    const { headers } = request
    return new Response(null, {
      status: await receive({ headers, body: await request.arrayBuffer() }),
    })
  },
})
