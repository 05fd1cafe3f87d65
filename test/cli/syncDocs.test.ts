/** The commands of the pages on `sync`, run as they stand there, against a sandbox and into a database of this machine. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Listening, listen, sandboxCredentials } from '../../src/sandbox/index.js'
import { cli, folder } from './support.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const names = ['docs/sync.md', 'docs/containers.md', 'README.md']
const pages = names.map((name) => readFileSync(join(root, name), 'utf8'))

/** Arguments of the command: in a shell, in a crontab, as a list in a Dockerfile or a manifest of Kubernetes. */
const commandsOf = (page: string): ReadonlyArray<ReadonlyArray<string>> => [
  ...Array.from(
    page.matchAll(/^(?:[\d* ]+)?(?:cd \S+ && )?(?:npx )?payments-rx (sync [^#\n]*)/gm),
    ([, words = '']) => words.trim().split(/\s+/),
  ),
  ...Array.from(
    page.matchAll(/(?:CMD|args:) (\["sync".*\])$/gm),
    ([, list = '[]']): ReadonlyArray<string> => JSON.parse(list),
  ),
]
const commands = pages.flatMap(commandsOf)

const file = await folder()
let sandbox: Listening | undefined
beforeAll(async () => {
  sandbox = await listen({ charges: 20, limits: false })
})
afterAll(() => sandbox?.close())

it.each(commands.map((args) => [args.join(' '), args] as const))('%s', async (_, args) => {
  const [name = '', list = '', , ...flags] = args
  const { status, stderr, stdout } = await cli([name, list, file('charges.sqlite'), ...flags], {
    env: {
      PAYMENTS_BASE_URL: sandbox?.url,
      PAYMENTS_CLIENT_ID: sandboxCredentials.clientId,
      PAYMENTS_API_KEY: sandboxCredentials.apiKey,
    },
  })
  expect(`${stderr}${stdout}`).toMatch(/complete|nothing was written/)
  expect(status).toBe(0)
})

it.each(names)('finds commands in %s', (name) => {
  expect(commandsOf(pages[names.indexOf(name)] ?? '')).not.toEqual([])
})

it('starts in a container what npm installs as the command', () => {
  const { bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  expect(pages.join('\n')).toContain(
    `ENTRYPOINT ["node", "node_modules/payments-rx/${bin['payments-rx']}"]`,
  )
})
