/** The chapter "A file" of the page on payments: its file and its commands, as they stand there, against a sandbox. */
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Listening, listen, sandboxCredentials } from '../../src/sandbox/index.js'
import { cli, folder } from './support.js'

const page =
  readFileSync(new URL('../../docs/payments.md', import.meta.url), 'utf8')
    .split('\n## A file\n')[1]
    ?.split('\n## From code\n')[0] ?? ''
const block = (language: string): string =>
  new RegExp(`\`\`\`${language}\n([^\`]*)\`\`\``).exec(page)?.[1] ?? ''

/** Lines of output on the page. */
const shown = page
  .split('\n')
  .filter((line) => /^ {4}\S/.test(line))
  .map((line) => line.trim())

const commands = Array.from(page.matchAll(/npx payments-rx pay ([^`\n]*)/g), ([, args = '']) =>
  args.split(' ').filter((word) => word !== '>'),
)

const at = await folder()
let sandbox: Listening
beforeAll(async () => {
  sandbox = await listen({ charges: 0, limits: false, fundAfter: 10, bookEvery: 1 })
})
afterAll(() => sandbox.close())

/** Runs a command of the page on a file in the folder of the test; what it says names the file as the page does. */
const run = async (args: ReadonlyArray<string>) => {
  const inFolder = args.map((word) => (/^wages\.csv/.test(word) ? at(word) : word))
  const { status, stdout, stderr } = await cli(['pay', ...inFolder, '--no-limits'], {
    env: {
      PAYMENTS_BASE_URL: sandbox.url,
      PAYMENTS_CLIENT_ID: sandboxCredentials.clientId,
      PAYMENTS_API_KEY: sandboxCredentials.apiKey,
    },
  })
  const asShown = (text: string): string =>
    text.replaceAll(at('wages.csv'), 'wages.csv').replaceAll(sandbox.url, 'http://127.0.0.1:8080')
  return { status, stdout: asShown(stdout), stderr: asShown(stderr) }
}

const withoutTime = (text: string): string => text.replace(/\d{4}-\d\d-\d\dT[\d:]+Z/, 'TIME')

it('quotes, pays and rejects as the page says', async () => {
  const [quote, , discard, pay, rest] = commands // the second is printed by the first
  expect([quote, discard, pay, rest]).not.toContain(undefined)
  await writeFile(at('wages.csv'), block('csv'))

  const quoted = await run(quote ?? [])
  expect(quoted.status).toBe(0)
  for (const line of quoted.stdout.trimEnd().split('\n').map(withoutTime)) {
    expect(shown.map(withoutTime)).toContain(line)
  }
  expect((await run(discard ?? [])).stdout).toMatch(/\nwages-2026-01: 1 draft deleted\n$/)

  const again = (args: ReadonlyArray<string> = []) =>
    args.map((word) => (word === 'wages-2026-01' ? 'wages-2026-01b' : word))
  const paid = await run(again(pay))
  expect(paid.status).toBe(0)
  expect(paid.stderr).toContain('complete: 3 of 3 payments in wages-2026-01b booked')
  const [outcome = ''] = (
    await readFile(at('wages.csv.wages-2026-01b.outcomes.ndjson'), 'utf8')
  ).split('\n')
  const example = shown.find((line) => line.startsWith('{')) ?? '{}'
  expect(Object.keys(JSON.parse(outcome))).toEqual(Object.keys(JSON.parse(example)))

  const longer = block('csv').replace(/^(.*)Cy (.*)\n/m, '$1Cy $2\n$1Di $2\n')
  expect(longer).toContain('Di Example')
  await writeFile(at('wages.csv'), longer)
  const other = await run(again(pay))
  expect(other.status).toBe(4)
  const said = other.stderr.trimEnd().split('\n').at(-1)
  expect(shown).toContain(said?.replaceAll('wages-2026-01b', 'wages-2026-01'))
  expect(await readFile(at('wages.csv.wages-2026-01b.unpaid.csv'), 'utf8')).toContain('Di Example')

  const wrong = block('csv').split('\n')
  wrong[2] = (wrong[2] ?? '').replace('EUR', 'euro')
  await writeFile(at('wages.csv'), wrong.join('\n'))
  const refused = await run(['wages.csv', '--run', 'wages-2026-02', '--yes'])
  expect(refused.status).toBe(2)
  expect(shown).toContain(refused.stderr.trimEnd().split('\n').at(-1))
  const rejected = await readFile(at('wages.csv.wages-2026-02.rejected.csv'), 'utf8')
  await writeFile(at('wages.csv.wages-2026-02.rejected.csv'), rejected.replace('euro', 'EUR'))
  expect((await run(rest ?? [])).status).toBe(0)
})
