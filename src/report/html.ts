/** HTML that nothing can break out of: whatever is put into a template is escaped, unless it is HTML itself. */
import { oneLine } from '../decode/redact.js'

// model

/** No text from outside can have it. */
const MARK: unique symbol = Symbol('html')

/** Made by `html` and `verbatim` only. */
export interface Html {
  readonly [MARK]: string
}

/** Nothing is shown of `undefined` and `false`. */
export type HtmlContent = Html | string | number | false | undefined | ReadonlyArray<HtmlContent>

// constructors

export const html = (texts: TemplateStringsArray, ...values: ReadonlyArray<HtmlContent>): Html => ({
  [MARK]: texts.reduce((all, text, i) => all + contentText(values[i - 1]) + text),
})

/** Takes text of this program as it is, such as a style sheet. Never use it for text from outside. */
export const verbatim = (text: string): Html => ({ [MARK]: text })

const contentText = (content: HtmlContent): string => {
  if (content === undefined || content === false) return ''
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

export const section = (id: string, title: string, content: HtmlContent): Html =>
  html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${content}
</section>`

/** Wraps a wide table so that it scrolls by itself, also by keyboard. */
export const scrollable = (labelledBy: string, content: Html): Html =>
  html`<div class="scroll" role="region" aria-labelledby="${labelledBy}" tabindex="0">${content}</div>`

// interop

export const textOf = (html: Html): string => html[MARK]
