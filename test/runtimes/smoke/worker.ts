/** A Worker that answers with the result as JSON. */
import { useClient } from './client.ts'

export default {
  async fetch(request: Request): Promise<Response> {
    const { url, clientId, apiKey } = await request.json()
    return Response.json(await useClient(url, { clientId, apiKey }))
  },
}
