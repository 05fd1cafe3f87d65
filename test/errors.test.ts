/** Public errors are told apart by `_tag`, as failures are, also by `instanceof`, also across two copies of the package. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import * as exported from '../src/export/index.js'
import * as root from '../src/index.js'
import { builtCode } from './support/built.js'

const failure: root.InvalidRequest = {
  _tag: 'InvalidRequest',
  endpoint: 'GET /a',
  attempts: 0,
  field: 'id',
  expected: 'a string',
  actual: 'a number',
  causes: [{ path: 'id', expected: 'a string', actual: 'a number' }],
  message: 'GET /a: id should be a string, but is a number',
}

const tooShort: root.RunFailure = {
  _tag: 'QuoteTooShort',
  run: 'march',
  requestId: 'march-1',
  message: 'the quote expired',
}

const all: Readonly<Record<string, Error & { readonly _tag: string }>> = {
  InvalidOption: new root.InvalidOption('a', 'b'),
  PaymentsError: new root.PaymentsError(failure),
  RunError: new root.RunError(tooShort),
}

it.each(Object.entries(all))('%s has its name for a tag', (name, error) => {
  expect(error).toMatchObject({ _tag: name, name })
})

it('an error of another copy of the package is recognized by instanceof', async () => {
  const path = pathToFileURL(join(await builtCode(), 'dist/index.js')).href
  const copy: typeof root = await import(path)
  const theirs = [
    [root.PaymentsError, copy.PaymentsError, new copy.PaymentsError(failure)],
    [root.InvalidOption, copy.InvalidOption, new copy.InvalidOption('a', 'b')],
    [root.RunError, copy.RunError, new copy.RunError(tooShort)],
  ] as const
  for (const [ours, other, error] of theirs) {
    expect(ours).not.toBe(other)
    expect(error instanceof ours).toBe(true)
    expect(new Error('another') instanceof ours).toBe(false)
  }
})

it('an error of a class that extends one of them is told apart', () => {
  class Mine extends root.PaymentsError {}
  expect(new Mine(failure) instanceof Mine).toBe(true)
  expect(new Mine(failure) instanceof root.PaymentsError).toBe(true)
  expect(new root.PaymentsError(failure) instanceof Mine).toBe(false)
})

it('is of every public error', () => {
  const classes = Object.entries({ ...exported, ...root }).flatMap(([name, value]) =>
    Object.prototype.isPrototypeOf.call(Error, value) ? [name] : [],
  )
  expect(classes.sort()).toEqual(Object.keys(all))
})
