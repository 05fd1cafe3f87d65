/**
 * Whether a text can stand in a header as it is: `fetch` would refuse another one by repeating it, and cut
 * off space around it, so that what the service repeats would not be known for a secret.
 */
export const isHeaderValue = (text: string): boolean =>
  /^[\x21-\x7e\x80-\xff]+([\t\x20]+[\x21-\x7e\x80-\xff]+)*$/.test(text)

/** What `fitsHeader` expects, in words. */
export const HEADER_VALUE = 'a text that fits a header, without space around it'
