/** `RUNTIME command.ts URL CLIENT_ID API_KEY`: prints the result as JSON. */
import { useClient } from './client.ts'

const [url = '', clientId = '', apiKey = ''] = process.argv.slice(2)
process.stdout.write(JSON.stringify(await useClient(url, { clientId, apiKey })))
