import * as t from 'io-ts'
import { open } from '../decode/index.js'
import type { Codec } from './Codec.js'
import { nullable } from './shapes.js'

// model

/**
 * A node of the tree of industries. Two shapes are in use, and which API version has which is not
 * specified: `LIST`, `CODE` and `QUESTION` nodes with `values`, and categories with `sub_items`. Nodes
 * of other types pass as they are.
 */
export interface IndustryCategory {
  /** In any letter case; `industryKindOf` reads it. */
  readonly type: string
  /** Null for a code under a question. */
  readonly name?: string | null
  /** The code itself; of codes only. */
  readonly value?: string | null
  /** The question; of questions only. */
  readonly question?: string | null
  /** `Yes` or `No`; of codes under a question only. */
  readonly answer?: string | null
  /** The children of lists and questions. */
  readonly values?: Array<IndustryCategory> | null
  /** The children of categories and sub-categories. */
  readonly sub_items?: Array<IndustryCategory> | null
}

export const IndustryCategory: Codec<IndustryCategory> = t.recursion('IndustryCategory', (node) =>
  t.intersection([
    t.type({ type: t.string }),
    t.partial({
      name: nullable(t.string),
      value: nullable(t.string),
      question: nullable(t.string),
      answer: nullable(open('Yes', 'No')),
      values: nullable(t.array(node)),
      sub_items: nullable(t.array(node)),
    }),
  ]),
)

export const IndustryCategories: Codec<Array<IndustryCategory>> = t.array(IndustryCategory)

/** The kind of a node, in either shape of the tree. */
type IndustryKind = 'list' | 'code' | 'question' | 'category' | 'sub-category' | 'level 3'

const kinds: Readonly<Record<string, IndustryKind>> = {
  list: 'list',
  code: 'code',
  question: 'question',
  industry_category: 'category',
  industry_sub_category: 'sub-category',
  industry_category_level3: 'level 3',
}

// combinators

/** Returns the kind of a node, by its type in any letter case; undefined for an unknown type. */
export const industryKindOf = ({ type }: IndustryCategory): IndustryKind | undefined =>
  Object.hasOwn(kinds, type.toLowerCase()) ? kinds[type.toLowerCase()] : undefined

/** Returns the children of a node, in either shape of the tree. */
export const industriesUnder = ({
  values,
  sub_items,
}: IndustryCategory): ReadonlyArray<IndustryCategory> => values ?? sub_items ?? []
