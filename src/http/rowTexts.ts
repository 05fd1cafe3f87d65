/** Up to the first row, in the shapes that the envelope comes in when no key before `items` has a list. */
const HEAD = /^\{(?:"has_more":(?:true|false),)?"items":\[(?=\{)/

/** After the last row: what else the envelope says, in plain values. */
const TAIL = /^\](?:,"\w+":(?:true|false|null|-?\d+|"[^"\\]*"))*\}$/

/**
 * The JSON of each row of a page as it came, cut out of the answer: digits, order and escapes are as the
 * service wrote them. Nothing where that is not certain.
 *
 * Rows are told apart by `},{`. A row may have that within, but then there is more of it than there are
 * rows; and what is not a row at the end does not parse.
 */
export const rowTexts = (body: string, rows: number): ReadonlyArray<string> | undefined => {
  const head = HEAD.exec(body)?.[0].length
  const last = body.lastIndexOf('}]')
  if (head === undefined || rows === 0 || body.includes('\n') || body.includes('\r'))
    return undefined
  if (!TAIL.test(body.slice(last + 1))) return undefined

  const texts: Array<string> = []
  let from = head
  for (let at = body.indexOf('},{', from); at !== -1; at = body.indexOf('},{', from)) {
    texts.push(body.slice(from, at + 1))
    from = at + 2
    if (texts.length === rows) return undefined
  }
  const end = body.slice(from, last + 1)
  texts.push(end)
  return texts.length === rows && isJson(end) ? texts : undefined
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
