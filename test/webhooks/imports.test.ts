/** `payments-rx/webhooks` runs where there is no Node: nothing that it loads is Node's own. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const IMPORT = /(?:\bfrom|^import)\s+'([^']+)'/gm

/** What is loaded with a file: the files, and the packages. */
const loaded = (file: URL, seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(file.href)) return seen
  seen.add(file.href)
  for (const [, from = ''] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
    if (from.startsWith('.')) loaded(new URL(from.replace(/\.js$/, '.ts'), file), seen)
    else seen.add(from)
  }
  return seen
}

it('needs three packages, and no module of Node', () => {
  const all = [...loaded(new URL('../../src/webhooks/index.ts', import.meta.url))]
  expect(all.some((name) => name.endsWith('/webhooks/Scheme.ts'))).toBe(true)
  const packages = all.filter((name) => !name.startsWith('file:'))
  expect([...new Set(packages.map((name) => name.split('/')[0]))].sort()).toEqual([
    'fp-ts',
    'io-ts',
    'rxjs',
  ])
})
