/** Copies the pages of `docs` and `site/pages` to where VitePress reads them. */
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

const site = import.meta.dirname
const root = dirname(site)
const target = join(site, '.pages')

/** The site has the files of `docs`, and no others: links to others are their words. */
const linkedWithin = (page: string, text: string): string =>
  text.replaceAll(
    /\[([^\]]*)\]\(((?:\.\.?\/)*[\w./-]+)(?:#[^)\s]*)?\)/g,
    (link, words: string, to: string) => {
      const path = posix.join('docs', posix.dirname(page), to)
      if (!path.startsWith('docs/')) return words
      return path.endsWith('.md') ? link : `[${words}](${path.slice('docs'.length)})`
    },
  )

/** Pages are copied with their links, other files of `docs` as they are. */
export const gatherPages = (): void => {
  rmSync(target, { recursive: true, force: true })
  const docs = join(root, 'docs')
  for (const file of globSync('**/*.*', { cwd: docs })) {
    const isPage = file.endsWith('.md')
    const to = join(target, isPage ? '' : 'public', file)
    mkdirSync(dirname(to), { recursive: true })
    if (!isPage) cpSync(join(docs, file), to)
    else writeFileSync(to, linkedWithin(file, readFileSync(join(docs, file), 'utf8')))
  }
  for (const picture of globSync('*.png', { cwd: docs })) {
    cpSync(join(docs, picture), join(target, picture))
  }
  cpSync(join(site, 'pages'), target, { recursive: true })
}
