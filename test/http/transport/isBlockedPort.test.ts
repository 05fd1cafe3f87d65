import { expect, it } from 'vitest'
import { fieldsOf } from '../../../src/decode/unknown.js'
import { isBlockedPort } from '../../../src/http/transport/isBlockedPort.js'

/** Sends nothing; the types of `fetch` do not know of it. */
const init: object = {
  dispatcher: {
    dispatch: () => {
      throw new Error('asked')
    },
  },
}

const reason = (port: number): Promise<unknown> =>
  fetch(`https://127.0.0.1:${port}`, init).catch(
    (error: unknown) => fieldsOf(fieldsOf(error).cause).message,
  )

it('knows the ports that fetch asks nothing of', async () => {
  const ports = Array.from({ length: 11_000 }, (_, i) => i + 1)
  const blocked: Array<number> = []
  for (const port of ports) {
    const why = await reason(port)
    expect(why).toBeOneOf(['bad port', 'asked'])
    if (why === 'bad port') blocked.push(port)
  }
  expect(blocked).toHaveLength(82)
  expect(ports.filter(isBlockedPort)).toEqual(blocked)
})
