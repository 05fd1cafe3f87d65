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

/** Pages link to files of the repository as a git host has them: outside of `docs`, the site has none of these. */
const linkedToRepository = (page: string, text: string, url: string): string =>
  text.replaceAll(
    /\]\((\.\.?\/[^)\s#]+|[\w-]+\.json)(#[^)\s]*)?\)/g,
    (link, to: string, hash = '') => {
      const path = posix.join('docs', posix.dirname(page), to)
      if (path === 'docs/openapi.json') return '](/openapi.json)'
      return path.startsWith('docs/') ? link : `](${url}/blob/main/${path}${hash})`
    },
  )

export const gatherPages = (): void => {
  rmSync(target, { recursive: true, force: true })
  const url = repository()
  const docs = join(root, 'docs')
  for (const page of globSync('**/*.md', { cwd: docs })) {
    mkdirSync(dirname(join(target, page)), { recursive: true })
    const text = readFileSync(join(docs, page), 'utf8')
    writeFileSync(join(target, page), linkedToRepository(page, text, url))
  }
  cpSync(join(site, 'pages'), target, { recursive: true })
  mkdirSync(join(target, 'public'), { recursive: true })
  cpSync(join(docs, 'openapi.json'), join(target, 'public/openapi.json'))
}
