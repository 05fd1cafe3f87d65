/** Finds links of a built site that lead to no page or to no heading. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'

const attributes = (html: string, name: string): ReadonlyArray<string> =>
  Array.from(html.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g')), ([, value = '']) =>
    decodeURI(value.replaceAll('&amp;', '&')),
  )

/** Returns each broken link as `page: link`. */
export const brokenLinks = (folder: string): ReadonlyArray<string> => {
  const pages = new Map(
    globSync('**/*.html', { cwd: folder }).map((page) => {
      const html = readFileSync(join(folder, page), 'utf8')
      return [page, { ids: new Set(attributes(html, 'id')), links: attributes(html, 'href') }]
    }),
  )
  const isBroken = (page: string, link: string): boolean => {
    if (/^[a-z]+:/i.test(link)) return false
    const [path = '', hash = ''] = link.split('#')
    const to =
      path === ''
        ? page
        : posix.join(posix.dirname(`/${page}`), path.startsWith('/') ? `/..${path}` : path)
    const file = posix.resolve('/', path.startsWith('/') ? path : to).slice(1)
    const html = [file, `${file}.html`, posix.join(file, 'index.html')].find((one) =>
      pages.has(one),
    )
    if (html === undefined) return !existsSync(join(folder, file))
    return hash !== '' && pages.get(html)?.ids.has(hash) !== true
  }
  return [...pages].flatMap(([page, { links }]) =>
    [...new Set(links)].filter((link) => isBroken(page, link)).map((link) => `${page}: ${link}`),
  )
}
