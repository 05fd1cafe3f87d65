/** Copies the pages of `docs` and `site/pages` to where VitePress reads them. */
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'

const site = import.meta.dirname
const root = dirname(site)
const target = join(site, '.pages')

/** The address of the repository in a browser, from package.json. */
const repository = (): string => {
  const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return repository.url.replace(/^git\+/, '').replace(/\.git$/, '')
}

/** Pages link to files of the repository as a git host has them. The site has those of `docs`, and no others. */
const linkedToRepository = (page: string, text: string, url: string): string =>
  text.replaceAll(/\]\(((?:\.\.?\/)*[\w./-]+)(#[^)\s]*)?\)/g, (link, to: string, hash = '') => {
    const path = posix.join('docs', posix.dirname(page), to)
    if (!path.startsWith('docs/')) return `](${url}/blob/main/${path}${hash})`
    return path.endsWith('.md') ? link : `](${path.slice('docs'.length)})`
  })

/** Pages are copied with their links, other files of `docs` as they are. */
export const gatherPages = (): void => {
  rmSync(target, { recursive: true, force: true })
  const url = repository()
  const docs = join(root, 'docs')
  for (const file of globSync('**/*.*', { cwd: docs })) {
    const isPage = file.endsWith('.md')
    const to = join(target, isPage ? '' : 'public', file)
    mkdirSync(dirname(to), { recursive: true })
    if (!isPage) cpSync(join(docs, file), to)
    else writeFileSync(to, linkedToRepository(file, readFileSync(join(docs, file), 'utf8'), url))
  }
  for (const picture of globSync('*.png', { cwd: docs })) {
    cpSync(join(docs, picture), join(target, picture))
  }
  cpSync(join(site, 'pages'), target, { recursive: true })
}
