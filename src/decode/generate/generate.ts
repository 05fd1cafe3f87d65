import type { Decoder } from '../decodeSafely.js'
import type { Plan } from '../Plan.js'
import { ask, copy, merge, refused, strip, unusual } from '../runtime.js'
import { keepsInput } from '../traits.js'
import { made } from './made.js'
import { locals, program } from './Program.js'
import { readOf } from './reads.js'
import { testOf } from './tests.js'

/** What the code calls by name. */
const runtime = {
  ask,
  copy,
  merge,
  refused,
  strip,
  unusual,
  isArray: Array.isArray,
  keysOf: Object.keys,
  namesOf: Object.getOwnPropertyNames,
  protoOf: Object.getPrototypeOf,
  hasOwn: Object.hasOwn,
  base: Object.prototype,
}

type Maker = (
  runtime: object,
  constants: ReadonlyArray<unknown>,
  slow: Decoder<unknown>,
) => Decoder<unknown>

/**
 * A plain object, as `E.right` makes it, but not by a literal: V8 puts what a literal makes among the old
 * once many of them were alive at a collection. Old ones keep the rows of a page that is gone until the
 * next full collection, which the next pages then bring about.
 */
const RIGHT = `function Right(right) { this._tag = "Right"; this.right = right }
    Right.prototype = base;`

/**
 * A decoder for a plan as straight-line code. It answers what is taken; all that is refused, unusual
 * or thrown, it hands to `slow`. Throws where the platform forbids code generation.
 */
export const generate = (plan: Plan, slow: Decoder<unknown>): Decoder<unknown> => {
  const to = program()
  const own = locals()
  const taken = keepsInput(plan)
    ? `if (${testOf(plan, 'x', own, to)}) return new Right(x);`
    : `const a = ${readOf(plan, to)}(x); if (a !== refused) return new Right(a);`
  const names = to.constants.map((_, i) => `c${i}`)
  // Constants of the code's own scope are constants to the engine, which parameters are not.
  const maker = made<Maker>(
    ['runtime', 'constants', 'slow'],
    `const { ${Object.keys(runtime).join(', ')} } = runtime;
    const [${names.join(', ')}] = constants;
    ${RIGHT}
    ${to.functions.join('\n')}
    return function decode(x) {
      ${own.declared()}
      try { ${taken} } catch {}
      return slow(x)
    }`,
  )
  return maker(runtime, to.constants, slow)
}
