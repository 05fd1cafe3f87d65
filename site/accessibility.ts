/** Findings of axe-core in pages of each kind, in both themes, on a phone and on a desk. */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { inChromium } from './chromium.ts'

/** How many pages are examined: the first ones of the list that the site has. */
const COUNT = 10
const PAGES = [
  'index',
  'start',
  'playground',
  'export',
  'reference/index',
  'reference/charges',
  'types/entries',
  'types/index/functions/createClient',
  'types/index/interfaces/ClientOptions',
  'internals/architecture',
  'failures',
  'limits',
]
const SIZES = [
  [390, 844],
  [1_280, 800],
]

/** VitePress's own: the groups of its sidebar are buttons with buttons in them. */
const ITS_OWN = 'nested-interactive'

/** Resolves with the number of runs, and with a line for each finding that is serious or critical. */
export const findBarriers = async (
  dist: string,
  program: string,
): Promise<{ readonly pages: ReadonlyArray<string>; readonly findings: ReadonlyArray<string> }> => {
  const pages = PAGES.filter((page) => existsSync(join(dist, `${page}.html`))).slice(0, COUNT)
  const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
  const findings = await inChromium(
    dist,
    program,
    `
const findings = new Set()
for (const page of ${JSON.stringify(pages)}) {
  for (const theme of ['light', 'dark']) {
    for (const [width, height] of ${JSON.stringify(SIZES)}) {
      const opened = await open('/' + page + '.html', width, height, theme)
      await untilAlive(opened)
      await addLibrary(opened)
      const { violations } = await frame.contentWindow.axe.run(opened, { resultTypes: ['violations'] })
      for (const { id, impact, nodes, help } of violations) {
        if (impact !== 'serious' && impact !== 'critical') continue
        if (id === '${ITS_OWN}' && nodes.every(({ html }) => html.startsWith('<div class="item" role="button"'))) continue
        findings.add(page + ', ' + theme + ', ' + width + ' px: ' + id + ': ' + help + ': ' + nodes.length + ', such as ' + nodes[0].html.slice(0, 160) + ' ' + (nodes[0].any[0]?.message ?? ''))
      }
    }
  }
}
return [...findings]`,
    readFileSync(axe, 'utf8'),
  )
  return { pages, findings }
}
