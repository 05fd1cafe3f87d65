import type { Receive, Save } from './receive.ts'

/** The event that a function URL sends, or an HTTP API with payload format 2.0. */
interface HttpEvent {
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body?: string
  readonly isBase64Encoded: boolean
}

export const lambdaHandler =
  (receive: Receive) =>
  async ({ headers, body = '', isBase64Encoded }: HttpEvent): Promise<{ statusCode: number }> => ({
    statusCode: await receive({
      headers,
      body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
    }),
  })

/** Sends events to a queue, such as SQS: `(text) => sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: text }))`. */
export const queueEvents =
  (send: (text: string) => Promise<unknown>): Save =>
  ({ raw }) =>
    send(JSON.stringify(raw))
