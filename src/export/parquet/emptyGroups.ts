/**
 * The footer of a file without rows. A list of Thrift says of what its members are; that of no row groups is
 * written as a list of nothing known, which strict readers (arrow-rs) refuse.
 *
 *     16 00      19     00 -> 0c               28 0b payments-rx
 *     no rows    list   none, of a structure   created by
 */

/** Bytes between that of the list and the text that says by whom the file was made. */
const BEFORE_TEXT = 3
const LIST = 0x19
const OF_STRUCTURES = 0x0c

/** Makes it one of structures, in place. `createdBy` is what the footer says. */
export const typeEmptyGroups = (footer: Uint8Array, createdBy: string): void => {
  const at = Buffer.from(footer.buffer, footer.byteOffset, footer.length).lastIndexOf(createdBy)
  const list = at - BEFORE_TEXT
  if (footer[list - 1] === LIST && footer[list] === 0) footer[list] = OF_STRUCTURES
}
