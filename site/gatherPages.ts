/** Copies the pages of `docs` and `site/pages` to where VitePress reads them, beside the pages of the public names. */
import { cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
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

/** Links to types by name: to the section that a page of the reference has for it, or else to its own page. */
const typeLinks = (): ReadonlyMap<string, string> => {
  const own = globSync('types/*/{interfaces,type-aliases,classes}/*.md', { cwd: target })
    .sort((a, b) => Number(a.includes('/index/')) - Number(b.includes('/index/'))) // the main entry wins
    .map((path) => [posix.basename(path, '.md'), `/${path.slice(0, -'.md'.length)}`] as const)
  const sections = globSync('reference/*.md', { cwd: join(root, 'docs') }).flatMap((path) =>
    Array.from(
      readFileSync(join(root, 'docs', path), 'utf8').matchAll(/^##+ ([A-Z]\w+)$/gm),
      ([, name = '']) => [name, `/${path.slice(0, -'.md'.length)}#${name.toLowerCase()}`] as const,
    ).filter(([name]) => own.some(([type]) => type === name)),
  )
  return new Map([...own, ...sections])
}

/** Columns of a signature in one line. */
const WIDTH = 72

/** The signatures of calls, each a paragraph of code: they become blocks, whose types are links. */
const withSignatures = (text: string, links: ReadonlyMap<string, string>): string =>
  text.replaceAll(/^`(payments\.[\w.]+)\((.*)\): (.*)`$/gm, (line, name, parameters, result) => {
    const broken = line.length > WIDTH && parameters !== ''
    const signature = broken
      ? `${name}(\n  ${parameters},\n): ${result}`
      : `${name}(${parameters}): ${result}`
    const code = signature
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll(/\b[A-Z]\w+/g, (type) =>
        links.has(type) ? `<a href="${links.get(type)}">${type}</a>` : type,
      )
    return `<pre class="signature" tabindex="0" v-pre><code>${code}</code></pre>`
  })

/** Pages are copied with their links, other files of `docs` as they are. */
export const gatherPages = (): void => {
  const docs = join(root, 'docs')
  const links = typeLinks()
  for (const file of globSync('**/*.*', { cwd: docs })) {
    const isPage = file.endsWith('.md')
    const to = join(target, isPage ? '' : 'public', file)
    mkdirSync(dirname(to), { recursive: true })
    if (!isPage) cpSync(join(docs, file), to)
    else {
      const text = readFileSync(join(docs, file), 'utf8')
      writeFileSync(to, withSignatures(linkedWithin(file, text), links))
    }
  }
  for (const picture of globSync('*.png', { cwd: docs })) {
    cpSync(join(docs, picture), join(target, picture))
  }
  cpSync(join(site, 'pages'), target, { recursive: true })
}
