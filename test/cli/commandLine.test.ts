/** Help and the page of the command line, over all commands. */
import { spawnSync } from 'node:child_process'
import { Readable, Writable } from 'node:stream'
import type { Command } from 'commander'
import { NEVER } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { printCommandLine } from '../../scripts/reference/commandLine.js'
import { documentationOf, GROUP } from '../../src/cli/help.js'
import { outputTo } from '../../src/cli/output.js'
import { programOf } from '../../src/cli/program.js'
import { idleClock } from '../support/idleClock.js'
import { cli } from './support.js'

const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() })

const program = (): Command => {
  const terminal = {
    ...{ args: [], env: {}, stdin: Readable.from([]), stdout: nowhere(), stderr: nowhere() },
    ...{ signals: NEVER, timer: idleClock, version: '1.2.3' },
  }
  return programOf({ terminal, output: outputTo(terminal), exit: () => {} })
}

const all = (command: Command, path: ReadonlyArray<string> = []): ReadonlyArray<CommandAt> => [
  { command, path },
  ...command.commands.flatMap((one) => all(one, [...path, one.name()])),
]

interface CommandAt {
  readonly command: Command
  readonly path: ReadonlyArray<string>
}

const commands = all(program())

const leaves = commands.filter(({ command }) => command.commands.length === 0)

describe.each(commands.map(({ path }) => ({ path })))('help of $path', ({ path }) => {
  it('fits 80 columns, and has its groups in one order', async () => {
    const { status, stdout, stderr } = await cli([...path, '--help'])
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
    const headings = stdout.split('\n').filter((line) => /^[A-Z]\w+:$/.test(line))
    const shared: ReadonlyArray<string> = Object.values(GROUP)
    const found = headings.slice(headings.findIndex((one) => shared.includes(one)))
    const inOrder = shared.filter((one) => found.includes(one))
    if (inOrder.length > 0) expect(found).toEqual([...inOrder, 'Examples:'])
    // the default of a time has a unit
    expect(stdout.replace(/\s+/g, ' ')).not.toMatch(/<time> [^<]*?\[[1-9]\d*\]/)
  })
})

it('every description of a command starts with a verb', () => {
  const verb = /^(?:Check|Export|Follow|Keep|Make|Measure|Pay|Print|Run|Send|Sync) [^:]*\.$/
  const others = commands.filter(({ command }) => !verb.test(command.description()))
  expect(others.map(({ command }) => command.description())).toEqual([])
})

it('of "export charges" has filters and output within the first 30 lines', async () => {
  const { stdout } = await cli(['export', 'charges', '--help'])
  const start = stdout.split('\n').slice(0, 30).join('\n')
  expect(start).toContain('\nFilters:\n')
  expect(start).toMatch(/\nOutput:\n( .*\n)+ {2}--quiet /)
})

it.each(leaves)('$path shows statuses and an example', ({ command }) => {
  const { statuses = {}, examples = [] } = documentationOf(command) ?? {}
  expect(Object.keys(statuses)).toContain('2')
  expect(examples.length).toBeGreaterThan(0)
})

it('every example parses as the command that it is an example of', async () => {
  for (const { path, command } of leaves) {
    for (const example of documentationOf(command)?.examples ?? []) {
      const line = example
        .replaceAll('\\\n', ' ')
        .replace(/ [|>].*/s, '')
        .replace(/^eval "\$\((.*)\)"$/, '$1')
      const [, ...words] = line.split(/\s+/)
      const fresh = program()
      const ran: Array<ReadonlyArray<string>> = []
      for (const one of all(fresh)) one.command.action(() => void ran.push(one.path))
      await fresh.parseAsync(words, { from: 'user' })
      expect([example, ran]).toEqual([example, [path]])
    }
  }
})

// bash is not on each machine, and no other system has its paths
describe.skipIf(process.platform === 'win32')('the completion of bash', () => {
  const completed = async (lines: ReadonlyArray<ReadonlyArray<string>>) => {
    const { stdout } = await cli(['completion', 'bash'])
    const asked = lines.map((words) => {
      const all = ['payments-rx', ...words].map((word) => `'${word}'`).join(' ')
      return `COMP_WORDS=(${all}); COMP_CWORD=${words.length}; COMPREPLY=(); _payments_rx; echo "\${COMPREPLY[*]}"`
    })
    const bash = spawnSync('bash', ['-c', [stdout, ...asked].join('\n')], { encoding: 'utf8' })
    expect(bash.stderr).toBe('')
    return bash.stdout.split('\n').slice(0, -1)
  }

  it('knows every command and option', async () => {
    const words = commands.flatMap(({ command, path }) => [
      ...(path.length === 0 ? [] : [path]),
      ...command.options.map(({ long }) => [...path, long ?? '']),
    ])
    const found = await completed(words)
    for (const [i, all] of words.entries()) {
      expect([all, found[i]?.split(' ')]).toEqual([all, expect.arrayContaining([all.at(-1)])])
    }
  })

  it.each([
    [['export', ''], 'charges batch-transfers batch-items webhooks partner-webhooks'],
    [['export', 'charges', '--status', 'S'], 'SETTLED SUSPENDED'],
    [['export', 'charges', '--quiet', '--format', ''], 'ndjson json csv parquet'],
    [['sync', 'charges', 'a.db', '--fo'], '--format'],
    [['bench', ''], 'read mixed write export'],
    [['export', 'charges', '--out', ''], ''], // files
  ])('completes %j', async (words, found) => {
    expect(await completed([words])).toEqual([found])
  })
})

it('the completion of zsh is that of bash', async () => {
  const [bash, zsh] = [await cli(['completion', 'bash']), await cli(['completion', 'zsh'])]
  expect(zsh.stdout).toBe(`autoload -Uz bashcompinit && bashcompinit\n${bash.stdout}`)
})

it('is a page of the reference', async () => {
  const page = printCommandLine(program())
  await expect(page).toMatchFileSnapshot('../../docs/reference/command-line.md')
})
