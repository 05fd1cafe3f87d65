/** An answer, as a value: pure. What is no success is read by `refusal.ts`. */
import type { AnyEndpoint } from '../../api/Endpoint.js'
import { following, type Position } from '../../api/Paging.js'
import { Envelope } from '../../codec/common.js'
import { type Cause, type Causes, causes, causesUnder } from '../../decode/causes.js'
import { isOverflow, LESS_DEEP } from '../../decode/decodeSafely.js'
import { compile, type Decoder } from '../../decode/index.js'
import { redact } from '../../decode/redact.js'
import { defined, E, memoized } from '../../fp.js'
import type { Page } from '../../stream/index.js'
import type { Failure, Undecodable } from '../Failure.js'
import { NOT_UTF8 } from '../transport/body.js'
import type { HttpResponse } from '../transport/Transport.js'
import type { RequestContext } from './RequestContext.js'
import { rowTexts } from './rawRows.js'

// model

/** What makes a value of a successful answer. */
export type ResponseReader<A> = (
  asking: RequestContext,
) => (answer: HttpResponse) => E.Either<Failure, A>

/** `JSON.parse`, or what keeps more of the text. Throws what is no JSON. */
export type ParseText = (text: string) => unknown

// constructors

/** One value. What is `anything` may be text as well, or nothing. */
export const valueReader =
  <A>(
    decode: Decoder<A>,
    parseText: ParseText = JSON.parse,
    form: AnyEndpoint['answer'] = 'json',
  ): ResponseReader<A> =>
  (asking) =>
  (answer) => {
    const parsed = parse(asking, answer, parseText)
    if (E.isLeft(parsed) && form === 'json') return parsed
    const value = decode(E.isRight(parsed) ? parsed.right : answer.body || undefined)
    return E.isRight(value) ? value : E.left(undecodable(asking, causes(value.left)))
  }

/** Looks at what a page came in; answers what is wrong with it, where it is not to be read. */
export type EnvelopeCheck = (position: Position, envelope: Envelope) => Cause | undefined

/** One page of a list, at a position: its rows decoded in one loop, each by itself. */
export const pageReader = <A>(
  decode: Decoder<A>,
  parseText: ParseText = JSON.parse,
  look?: EnvelopeCheck,
): ((position: Position) => ResponseReader<Page<Failure, A, Position>>) => {
  const envelope = compile(Envelope)
  return (position) => (asking) => (answer) => {
    const parsed = parse(asking, answer, parseText)
    if (E.isLeft(parsed)) return parsed
    const page = envelope(parsed.right)
    if (E.isLeft(page)) return E.left(undecodable(asking, causes(page.left)))
    const wrong = look?.(position, page.right)
    if (wrong !== undefined) return E.left(undecodable(asking, [wrong]))
    const items = page.right.items.map((row, i): E.Either<Failure, A> => {
      const item = decode(row)
      return E.isRight(item) ? item : E.left(undecodable(asking, causes(item.left), `items[${i}]`))
    })
    return E.right({
      items,
      raw: page.right.items,
      texts: memoized(() => rowTexts(answer, page.right.items)),
      position,
      next: following(position, page.right),
    })
  }
}

const parse = (
  asking: RequestContext,
  { body, flaw }: HttpResponse,
  parseText: ParseText,
): E.Either<Undecodable, unknown> => {
  if (flaw !== undefined) return E.left(undecodable(asking, [{ path: '', ...flaw }]))
  try {
    return E.right(parseText(body))
  } catch (thrown) {
    const expected = isOverflow(thrown) ? LESS_DEEP : JSON_TEXT
    const actual = body === '' ? 'empty' : redact(body)
    return E.left(undecodable(asking, [{ path: '', expected, actual }]))
  }
}

/** What a body should be, in words. */
const JSON_TEXT = 'JSON'

const undecodable = (asking: RequestContext, all: Causes, at = ''): Undecodable => {
  const under = causesUnder(at, all)
  const [{ path, expected, actual }] = under
  const { endpoint, attempts, traceId } = asking
  return {
    _tag: 'Undecodable',
    endpoint,
    attempts,
    ...defined({ traceId }),
    path,
    expected,
    actual,
    causes: under,
    message: `${endpoint}: ${path || 'the answer'} should be ${expected}, and is ${actual}`,
  }
}

// interop

/** A body that was cut off, is empty, or no text or JSON for another reason: the next one may be whole. */
export const isGarbledBody = (failure: Undecodable): boolean =>
  failure.path === '' && [JSON_TEXT, NOT_UTF8.expected].includes(failure.expected)
