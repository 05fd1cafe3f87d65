/** Links between the pages lead to a file and a heading, as a git host has them. The site checks its own when it is built. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))

const pages: ReadonlyArray<string> = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
]

/** The text of a page without what is code. */
const prose = (text: string): string =>
  text
    .replaceAll(/^( *)(```+)[\s\S]*?^\1\2 *$/gm, '')
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ' '))

/** The anchor that a git host gives to a heading. */
const anchorOf = (heading: string): string =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-')

const anchorsOf = (page: string): ReadonlySet<string> => {
  const text = readFileSync(join(root, page), 'utf8').replaceAll(
    /^( *)(```+)[\s\S]*?^\1\2 *$/gm,
    '',
  )
  const found = new Set<string>()
  for (const [, heading = ''] of text.matchAll(/^#+ (.+)$/gm)) {
    const anchor = anchorOf(heading.trim())
    let free = anchor
    for (let n = 1; found.has(free); n++) free = `${anchor}-${n}`
    found.add(free)
  }
  return found
}

const isBroken = (page: string, link: string): boolean => {
  if (/^[a-z]+:/.test(link)) return false
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : relative(root, join(root, dirname(page), path))
  if (!existsSync(join(root, target))) return true
  return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).has(anchor)
}

it.each(pages)('the links of %s lead somewhere', (page) => {
  const text = prose(readFileSync(join(root, page), 'utf8'))
  const links = Array.from(text.matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => link)
  expect(links.filter((link) => isBroken(page, link))).toEqual([])
})
