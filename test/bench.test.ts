import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { typeStripping } from '../bench/services/typeStripping.js'

const bench = new URL('../bench/', import.meta.url)

const run = (...args: ReadonlyArray<string>) =>
  spawnSync(process.execPath, [new URL('run.ts', bench).pathname, ...args], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: typeStripping.join(' ') },
  })

describe('npm run bench', () => {
  it('lists every suite', () => {
    const folders = readdirSync(bench).filter((name) =>
      existsSync(new URL(`${name}/index.ts`, bench)),
    )
    const { stdout, status } = run('--help')
    const listed = Array.from(stdout.matchAll(/^ {2}(\w+) {2,}\S/gm), ([, name]) => name)
    expect(listed.toSorted()).toEqual(folders.toSorted())
    expect(status).toBe(0)
  })

  it('says that there is no such suite, and which one was probably meant', () => {
    const { stderr, status } = run('decoed')
    expect(stderr).toContain('bench: there is no suite decoed (did you mean decode?)')
    expect(status).toBe(2)
  })

  it('says that a suite has no such part', () => {
    const { stderr, status } = run('scheduler', 'simulated')
    expect(stderr).toContain('bench: there is no simulated, only simulate, micro')
    expect(status).toBe(2)
  })
})
