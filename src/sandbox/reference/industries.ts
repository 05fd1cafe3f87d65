/** A few industries, in both shapes of their tree (interface, Reference data). */
import type { IndustryCategory } from '../../codec/IndustryCategory.js'
import type { Settings } from '../settings.js'

// the newer shape; the letter case of types varies as in the examples of the interface

const codes: ReadonlyArray<IndustryCategory> = [
  {
    type: 'LIST',
    name: 'Retail',
    values: [
      { type: 'CODE', name: 'Clothing and accessories', value: 'ICCV3_000001' },
      {
        type: 'LIST',
        name: 'Electronics',
        values: [
          { type: 'code', name: 'Computers', value: 'ICCV3_000101' },
          {
            type: 'QUESTION',
            name: 'Mobile phones',
            question: 'Do you repair what you sell?',
            values: [
              { type: 'CODE', name: null, value: 'ICCV3_000102', answer: 'Yes' },
              { type: 'CODE', name: null, value: 'ICCV3_000103', answer: 'No' },
            ],
          },
        ],
      },
    ],
  },
  {
    type: 'LIST',
    name: 'Travel',
    values: [
      {
        type: 'question',
        name: 'Travel agencies',
        question: 'Do you take payments on behalf of others?',
        values: [
          { type: 'code', name: null, value: 'ICCV3_000201', answer: 'Yes' },
          { type: 'code', name: null, value: 'ICCV3_000202', answer: 'No' },
        ],
      },
    ],
  },
]

// the older shape

const categories: ReadonlyArray<IndustryCategory> = [
  {
    type: 'industry_category',
    name: 'Retail',
    sub_items: [
      {
        type: 'industry_sub_category',
        name: 'Clothing and accessories',
        sub_items: [
          { type: 'industry_category_level3', name: 'Shoes', sub_items: [] },
          { type: 'industry_category_level3', name: 'Jewellery', sub_items: [] },
        ],
      },
      {
        type: 'industry_sub_category',
        name: 'Electronics',
        sub_items: [{ type: 'industry_category_level3', name: 'Computers', sub_items: [] }],
      },
    ],
  },
  {
    type: 'industry_category',
    name: 'Travel',
    sub_items: [
      {
        type: 'industry_sub_category',
        name: 'Travel agencies',
        sub_items: [{ type: 'industry_category_level3', name: 'Tour operators', sub_items: [] }],
      },
    ],
  },
]

/** The version that brings the newer shape: the oldest one that the interface lists. */
const CODES = '2025-06-30'

export const industries = (
  { industryTree }: Settings,
  version: string,
): Array<IndustryCategory> => {
  const newer = industryTree === 'codes' || (industryTree === 'by version' && version >= CODES)
  return [...(newer ? codes : categories)]
}
