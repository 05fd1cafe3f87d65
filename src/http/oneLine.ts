/** Line breaks, control and invisible characters, with the spaces around them; not joiners, which are part of words. */
const UNPRINTABLE =
  /(?<! ) *(?:[^\S ]|\p{Cc}|(?!\p{Join_Control})\p{Cf})(?:[\s\p{Cc}]|(?!\p{Join_Control})\p{Cf})*/gu

/** Makes text from outside fit for one line of a log or a terminal. Keeps repeated spaces: names may have them. */
export const oneLine = (text: string): string => text.replace(UNPRINTABLE, ' ').trim()
