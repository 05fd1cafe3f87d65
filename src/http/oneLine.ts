/** What breaks a line, drives a terminal, or is not seen, and spaces around it: not what joins letters of a word. */
const UNSHOWN =
  /(?<! ) *(?:[^\S ]|\p{Cc}|(?!\p{Join_Control})\p{Cf})(?:[\s\p{Cc}]|(?!\p{Join_Control})\p{Cf})*/gu

/** A text from outside on one line, fit for a log and for a terminal. Its other spaces stay: a name may have two. */
export const oneLine = (text: string): string => text.replace(UNSHOWN, ' ').trim()
