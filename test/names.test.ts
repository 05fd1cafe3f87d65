/** A type name stands for one type in all of src, so that a reader who has met it once knows it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const src = fileURLToPath(new URL('../src', import.meta.url))

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
)

const codeOf = (file: string): string =>
  readFileSync(join(src, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*/g, '')

const DECLARED =
  /^(?:export )?(?:declare )?(?:interface|type|(?:abstract )?class|enum) (?<name>\w+)/gm

it('a type name stands for one type', () => {
  const places = new Map<string, Set<string>>()
  for (const file of files) {
    for (const { groups } of codeOf(file).matchAll(DECLARED)) {
      const name = groups?.name ?? ''
      places.set(name, (places.get(name) ?? new Set()).add(file))
    }
  }
  const shared = [...places].filter(([, of]) => of.size > 1).map(([name]) => name)
  expect(shared).toEqual([])
})

it('private state is written in one way: #name', () => {
  const others = files.filter((file) => /^\s+private (?!constructor)/m.test(codeOf(file)))
  expect(others).toEqual([])
})
