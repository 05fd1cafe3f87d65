import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import GithubSlugger from 'github-slugger'
import { defineConfig } from 'vitepress'
import { facts } from '../facts.ts'
import { headingOf, miniSearch, searchWords } from '../search.ts'

/** A branch of a repository. */
const BRANCH =
  '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2"><circle cx="6" cy="5" r="2.5"/><circle cx="6" cy="19" r="2.5"/><circle cx="18" cy="8" r="2.5"/><path d="M6 7.5v9M18 10.5c0 4-6 3-11 6"/></svg>'

/** Pages without a folder, but the first ones. */
const GUIDE = '^/(?!start|playground)[^/]+$'

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const root = join(import.meta.dirname, '../..')
const pages = join(import.meta.dirname, '../.pages')

/** The title of a page: its first heading. */
const titleOf = (page: string): string =>
  /^# (.+)$/m
    .exec(readFileSync(join(pages, `${page}.md`), 'utf8'))?.[1]
    ?.replaceAll(/[`\\]/g, '') ?? page

const item = (page: string) => ({
  text: page === 'start' ? 'Learn it in 15 minutes' : titleOf(page),
  link: `/${page}`,
})

/** The calls of a page of the reference: sections that begin with a method and a path. */
const callsOf = (page: string) =>
  Array.from(
    readFileSync(join(pages, `${page}.md`), 'utf8').matchAll(/^## (\S+)\n+`(?:GET|POST) \//gm),
    ([, call = '']) => ({ text: call, link: `/${page}#${new GithubSlugger().slug(call)}` }),
  )

const isThere = (page: string): boolean => existsSync(join(pages, `${page}.md`))

/** The pages of a folder: first the ones in this order, then the others by name. */
const pagesIn = (folder: string, first: ReadonlyArray<string>, not: ReadonlyArray<string> = []) => {
  const all = readdirSync(join(pages, folder), { recursive: folder !== '', encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name.slice(0, -'.md'.length)))
    .sort()
  const listed = first.map((name) => join(folder, name)).filter(isThere)
  const rest = all.filter((page) => !listed.includes(page) && !not.includes(page))
  return [...listed, ...rest].map(item)
}

const start = ['start', 'which-tool', 'from-other-libraries', 'playground'].filter(isThere)

const guides: ReadonlyArray<readonly [title: string, pages: ReadonlyArray<string>]> = [
  ['Calls', ['client', 'call', 'failures', 'lists', 'snapshots', 'payments', 'webhooks']],
  [
    'Exports and tables',
    ['export', 'sync', 'follow', 'formats', 'object-storage', 'destinations', 'recipes'],
  ],
  [
    'In production',
    ['containers', 'bundlers', 'many-machines', 'telemetry', 'measure', 'troubleshooting', 'trust'],
  ],
  ['Limits', ['limits', 'scheduler']],
  ['Testing', ['testing', 'sandbox']],
  ['Building blocks', ['streams', 'decoding']],
]
const guided = guides.flatMap(([, names]) => names)

const group = (
  text: string,
  items: ReadonlyArray<{ text: string; link: string }>,
  collapsed = false,
) => ({
  text,
  items: [...items],
  collapsed,
})

const reference = 'reference'
const referenceFirst = [
  'index',
  'charges',
  'batch-transfers',
  'reference-data',
  'webhooks',
  'partner-webhooks',
  'authentication',
  'objects',
  'events',
  'versions',
  'defaults',
  'client',
  'exports',
  'sandbox',
]
/** One page for each entry of the package: it links to a page for each name. */
const entries = [
  'types/entries',
  ...pagesIn('types', [])
    .map(({ link }) => link.slice(1))
    .filter((page) => /^types\/.+\/entries$/.test(page)),
]

const beside = pagesIn('', [], [...start, ...guided, 'index'])

const referencePages = pagesIn(reference, referenceFirst).map(({ text, link }) => {
  const items = callsOf(link.slice(1))
  return items.length === 0 ? { text, link } : { text, link, items, collapsed: true }
})
const [overview, ...others] = referencePages

const guideGroups = [
  ...guides.map(([title, names]) => group(title, names.filter(isThere).map(item))),
  ...(beside.length === 0 ? [] : [group('More guides', beside)]),
].filter(({ items }) => items.length > 0)

const referenceGroups = [
  group('Calls', [
    ...(overview ? [{ ...overview, text: 'All calls' }] : []),
    ...others.filter((page) => 'items' in page),
  ]),
  group(
    'More reference',
    others.filter((page) => !('items' in page)),
  ),
  group('All names of the package', entries.map(item), true),
]
const { version, license, repository } = facts()

export default defineConfig({
  title: 'payments-rx',
  description: 'Reactive streaming client for the Payments Platform API',
  lang: 'en',
  srcDir: '.pages',
  outDir: 'dist',
  cacheDir: '.cache',
  cleanUrls: true,
  lastUpdated: false,
  head: [['link', { rel: 'icon', type: 'image/svg+xml', href: '/favicon.svg' }]],
  markdown: {
    // headings have the anchors of a git host, so that links work on both
    anchor: { slugify: (heading: string) => new GithubSlugger().slug(heading) },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    languageAlias: { crontab: 'sh' },
    config: ({ renderer: { rules } }) => {
      // what may be wider than the window is scrolled by keyboard as well
      rules.table_open = () => '<div class="table" tabindex="0"><table>\n'
      rules.table_close = () => '</table></div>\n'
      rules.th_open = () => '<th scope="col">'
      rules.code_block = (tokens, at) =>
        `<pre tabindex="0" v-pre><code>${escapeHtml(tokens[at]?.content ?? '')}</code></pre>\n`
    },
  },
  themeConfig: {
    logo: { src: '/favicon.svg', alt: '' },
    nav: [
      { text: 'Start here', link: '/start' },
      { text: 'Guides', link: guideGroups[0]?.items[0]?.link ?? '/start', activeMatch: GUIDE },
      { text: 'Reference', link: '/reference/', activeMatch: '^/(reference|types)/' },
      { text: 'Playground', link: '/playground' },
      { text: 'Internals', link: '/internals/architecture', activeMatch: '^/internals/' },
    ],
    sidebar: {
      '/reference/': referenceGroups,
      '/types/': referenceGroups,
      '/internals/': [group('Internals', pagesIn('internals', ['architecture']))],
      '/': [group('Start here', start.map(item)), ...guideGroups],
    },
    ...(repository === undefined
      ? {}
      : { socialLinks: [{ icon: { svg: BRANCH }, link: repository, ariaLabel: 'Repository' }] }),
    footer: {
      message: [
        `payments-rx ${version}`,
        `${license} License`,
        ...(repository === undefined ? [] : [`<a href="${repository}">Repository</a>`]),
      ].join(' · '),
    },
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        // words that readers search for, and that the section does not use
        _render: (source, env, markdown) =>
          Object.entries(searchWords).reduce(
            (html, [title, words]) =>
              html.replace(headingOf(title), (heading) => `${heading}<p>${words}</p>`),
            markdown.render(source, env),
          ),
        miniSearch,
      },
    },
    docFooter: { prev: 'Previous', next: 'Next' },
  },
  vite: {
    publicDir: join(pages, 'public'),
    resolve: {
      alias: {
        // the published bundle
        'payments-rx/scheduler': join(root, 'dist/scheduler/index.js'),
        // without its part for Redis
        bottleneck: join(root, 'node_modules/bottleneck/light.js'),
      },
    },
    worker: { format: 'es' },
    build: { chunkSizeWarningLimit: 2_000 },
  },
})
