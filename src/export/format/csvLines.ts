/**
 * Lines of cells. Code that is made for the columns reads `row.id` where a loop has to look up whatever
 * is named: a third less time a row. Where no code may be made of text, it is the loop.
 */
import { mayGenerate } from '../../decode/generate/generate.js'
import { sourceOf } from '../column/source.js'

// model

export interface Cell {
  readonly path: ReadonlyArray<string>
  readonly write: (row: unknown) => string
  /** Texts and numbers are written as they are, but for the mask of texts. */
  readonly isPlain: boolean
}

export type Lines = (rows: ReadonlyArray<unknown>) => string

type Mask = (text: string) => string

// constructors

export const lineWriter = (cells: ReadonlyArray<Cell>, mask: Mask): Lines =>
  cells.length > 1 && mayGenerate() ? generated(cells, mask) : looped(cells)

/** An empty line would be no row. */
export const looped =
  (cells: ReadonlyArray<Cell>): Lines =>
  (rows) => {
    let text = ''
    for (const row of rows) {
      const line = cells.map(({ write }) => write(row)).join(',')
      text += `${line === '' ? '""' : line}\r\n`
    }
    return text
  }

type Maker = (write: ReadonlyArray<Cell['write']>, mask: Mask) => Lines

const isMaker = (u: unknown): u is Maker => typeof u === 'function'

const generated = (cells: ReadonlyArray<Cell>, mask: Mask): Lines => {
  const maker: unknown = new Function(
    'write',
    'mask',
    `"use strict";
    const [${cells.map((_, i) => `w${i}`).join(', ')}] = write;
    return function lines(rows) {
      let text = '', v;
      for (const row of rows) text += ${cells.map(source).join(`\n + ',' + `)} + '\\r\\n';
      return text
    }`,
  )
  if (!isMaker(maker)) throw new TypeError('no code was made')
  return maker(
    cells.map(({ write }) => write),
    mask,
  )
}

const source = ({ path, isPlain }: Cell, i: number): string => {
  if (!isPlain) return `w${i}(row)`
  return `((v = ${sourceOf(path)}) === undefined || v === null ? ''
    : typeof v === 'string' ? (v === '' ? '""' : mask(v))
    : typeof v === 'number' ? String(v) : w${i}(row))`
}
