import { type } from 'arktype'
import type { Shape } from '../shapes.ts'

/** The definition that `type` reads: texts in its own language, and objects of them. */
const definitionOf = (shape: Shape): unknown => {
  if (shape === 'text') return 'string'
  if (shape === 'number') return 'number'
  if ('oneOf' in shape) return ['===', ...shape.oneOf]
  if ('nullable' in shape) return [definitionOf(shape.nullable), '|', 'null']
  if ('list' in shape) return [definitionOf(shape.list), '[]']
  if ('record' in shape) return { '[string]': definitionOf(shape.record) }
  return Object.fromEntries([
    ...Object.entries(shape.fields).map(([key, one]) => [key, definitionOf(one)]),
    ...Object.entries(shape.optional ?? {}).map(([key, one]) => [`${key}?`, definitionOf(one)]),
  ])
}

export const arktypeOf = (shape: Shape): ((u: unknown) => unknown) => type.raw(definitionOf(shape))

export const isRefused = (u: unknown): boolean => u instanceof type.errors
