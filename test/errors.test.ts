/** Public errors are told apart by `_tag`, as failures are: `instanceof` fails across two copies of a package. */
import { expect, it } from 'vitest'
import * as exported from '../src/export/index.js'
import * as root from '../src/index.js'

const failure: root.InvalidRequest = {
  _tag: 'InvalidRequest',
  endpoint: 'GET /a',
  attempts: 0,
  field: 'id',
  expected: 'a text',
  actual: 'a number',
  causes: [{ path: 'id', expected: 'a text', actual: 'a number' }],
  message: 'GET /a: id should be a text, and is a number',
}

const all: Readonly<Record<string, Error & { readonly _tag: string }>> = {
  InvalidOption: new root.InvalidOption('a', 'b'),
  PaymentsError: new root.PaymentsError(failure),
  RunError: new root.RunError({
    _tag: 'QuoteTooShort',
    run: 'march',
    requestId: 'march-1',
    message: 'the quote expired',
  }),
}

it.each(Object.entries(all))('%s has its name for a tag', (name, error) => {
  expect(error).toMatchObject({ _tag: name, name })
})

it('is of every public error', () => {
  const classes = Object.entries({ ...exported, ...root }).flatMap(([name, value]) =>
    Object.prototype.isPrototypeOf.call(Error, value) ? [name] : [],
  )
  expect(classes.sort()).toEqual(Object.keys(all))
})
