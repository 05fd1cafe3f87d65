import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import GithubSlugger from 'github-slugger'
import { defineConfig } from 'vitepress'
import { searchWords } from '../search.ts'

const root = join(import.meta.dirname, '../..')
const pages = join(import.meta.dirname, '../.pages')

/** The title of a page: its first heading. */
const titleOf = (page: string): string =>
  /^# (.+)$/m
    .exec(readFileSync(join(pages, `${page}.md`), 'utf8'))?.[1]
    ?.replaceAll(/[`\\]/g, '') ?? page

const item = (page: string) => ({
  text: page === 'start' ? 'In 15 minutes' : titleOf(page),
  link: `/${page}`,
})

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

const start = ['start', 'from-other-libraries', 'faq', 'playground'].filter(isThere)

const guides: ReadonlyArray<readonly [title: string, pages: ReadonlyArray<string>]> = [
  [
    'Calls',
    [
      'client',
      'failures',
      'idempotency',
      'lists',
      'snapshots',
      'pay-a-file',
      'batches',
      'webhooks',
    ],
  ],
  [
    'Exports and tables',
    [
      'export',
      'sync',
      'follow',
      'formats',
      'object-storage',
      'destinations',
      'singer',
      'progress',
      'recipes',
    ],
  ],
  [
    'In production',
    [
      'containers',
      'many-machines',
      'workers',
      'logging',
      'telemetry',
      'call',
      'doctor',
      'measure',
      'troubleshooting',
      'trust',
      'upgrading',
    ],
  ],
  ['Limits', ['limits', 'scheduler']],
  ['Testing', ['testing', 'sandbox']],
  ['The parts', ['streams', 'decoding']],
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
  'responses',
  'parameters',
  'events',
  'versions',
  'defaults',
  'client',
  'exports',
  'scheduler',
  'streams',
  'sandbox',
  'telemetry',
  'bench',
]
/** One page for each entry of the package: it links to a page for each name. */
const entries = [
  'types/entries',
  ...pagesIn('types', [])
    .map(({ link }) => link.slice(1))
    .filter((page) => /^types\/.+\/entries$/.test(page)),
]

const beside = pagesIn('', [], [...start, ...guided, 'index'])

const sidebar = [
  group('Start here', start.map(item)),
  ...guides.map(([title, names]) => group(title, names.filter(isThere).map(item))),
  ...(beside.length === 0 ? [] : [group('More guides', beside)]),
  group('Calls of the interface', pagesIn(reference, referenceFirst)),
  group('Names of the package', entries.map(item), true),
  group('Internals', pagesIn('internals', ['architecture']), true),
]

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
    theme: { light: 'github-light', dark: 'github-dark' },
  },
  themeConfig: {
    nav: [
      { text: 'Start here', link: '/start' },
      { text: 'Guides', link: '/client' },
      { text: 'Reference', link: '/reference/' },
      { text: 'Internals', link: '/internals/architecture' },
      { text: 'Playground', link: '/playground' },
    ],
    sidebar,
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        // words that readers search for, and that the page does not use
        _render: (source, env, markdown) => {
          const html = markdown.render(source, env)
          const page = env.relativePath.replace(/\.md$/, '')
          const words = searchWords[page]
          return words === undefined ? html : html.replace('</h1>', `</h1><p>${words}</p>`)
        },
        miniSearch: {
          searchOptions: {
            // guides first: a page of types has every word
            boostDocument: (id: string) =>
              id.startsWith('/types/') ? 0.2 : /^\/(reference|internals)\//.test(id) ? 0.6 : 1,
          },
        },
      },
    },
    docFooter: { prev: 'Before', next: 'Next' },
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
