/** HTML without injection: everything that is inserted into a template is escaped unless it is HTML itself. */
import { oneLine } from '../decode/redact.js'

/** Marks HTML. Data from outside cannot have this mark. */
const MARK: unique symbol = Symbol('html')

/** HTML. Only `html` and `verbatim` create it. */
export interface Html {
  readonly [MARK]: string
}

/** Content of a template. `undefined` and `false` render nothing. */
export type HtmlContent = Html | string | number | false | undefined | ReadonlyArray<HtmlContent>

export const html = (texts: TemplateStringsArray, ...values: ReadonlyArray<HtmlContent>): Html => ({
  [MARK]: texts.reduce((all, text, i) => all + contentText(values[i - 1]) + text),
})

/** Inserts this program's own text unchanged, such as a style sheet. Must never be used for text from outside. */
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

/** Wraps a wide table so that it scrolls separately, also with the keyboard. */
export const scrollable = (labelledBy: string, content: Html): Html =>
  html`<div class="scroll" role="region" aria-labelledby="${labelledBy}" tabindex="0">${content}</div>`

export const textOf = (html: Html): string => html[MARK]
