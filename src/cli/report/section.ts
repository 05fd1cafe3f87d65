/** Parts of a page. */
import { type Content, type Html, html } from './html.js'

export const section = (id: string, title: string, content: Content): Html =>
  html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${content}
</section>`

/** Wide tables scroll by themselves, also by keyboard. */
export const scrolled = (labelledBy: string, content: Html): Html =>
  html`<div class="scroll" role="region" aria-labelledby="${labelledBy}" tabindex="0">${content}</div>`
