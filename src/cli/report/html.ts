/** HTML that nothing can break out of: what is put into a template is escaped, unless it is HTML itself. */
import { oneLine } from '../../http/oneLine.js'

// model

/** No text from outside can have it. */
const MARK: unique symbol = Symbol('html')

/** Made by `html`, and nothing else. */
export interface Html {
  readonly [MARK]: string
}

export type Content = Html | string | number | undefined | ReadonlyArray<Content>

// constructors

export const html = (texts: TemplateStringsArray, ...values: ReadonlyArray<Content>): Html => ({
  [MARK]: texts.reduce((all, text, i) => all + contentText(values[i - 1]) + text),
})

/** Text of this program's own, as it stands: the rules of a style sheet. Never what came from outside. */
export const verbatim = (text: string): Html => ({ [MARK]: text })

const contentText = (content: Content): string => {
  if (content === undefined) return ''
  if (typeof content === 'number') return String(content)
  if (typeof content === 'string') return escaped(content)
  return MARK in content ? content[MARK] : content.map(contentText).join('')
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string =>
  oneLine(text).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '')

// interop

/** The text of a document. */
export const print = (html: Html): string => html[MARK]
