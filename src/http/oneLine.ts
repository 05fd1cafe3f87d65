/** What breaks a line, drives a terminal, or turns the direction of a text. */
const UNSHOWN = /[\s\p{Cc}\p{Bidi_Control}]+/gu

/** A text from outside on one line, fit for a log. */
export const oneLine = (text: string): string => text.replace(UNSHOWN, ' ').trim()
