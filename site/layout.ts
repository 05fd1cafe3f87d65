/** The layout of pages, on a phone and on a desk: none is wider than the window, and the home page is one screen. */
import { globSync } from 'node:fs'
import { inChromium } from './chromium.ts'

/** Of a phone and of a desk, in px. */
const WIDTHS = [360, 1_280]
const SCREENS = [
  [390, 844],
  [1_280, 720],
]

/** The parts of the home page, by selector. */
const PARTS = {
  headline: 'h1',
  'install line': '.install pre',
  code: '.code .language-ts pre',
  version: '.project',
  figures: '.figures',
  footer: '.VPFooter',
}

/** Resolves with the number of pages, and with a line for each that is wrong. */
export const checkLayout = async (
  dist: string,
  program: string,
): Promise<{ readonly pages: number; readonly wrong: ReadonlyArray<string> }> => {
  const pages = globSync('**/*.html', { cwd: dist }).map((name) => `/${name}`)
  const wrong = await inChromium(
    dist,
    program,
    `
const wrong = []
for (const page of ${JSON.stringify(pages)}) {
  const { documentElement } = await open(page, ${WIDTHS[0]}, 800)
  for (const width of ${JSON.stringify(WIDTHS)}) {
    frame.width = width
    const { scrollWidth } = documentElement
    if (scrollWidth > width) wrong.push(page + ' is ' + scrollWidth + ' px wide at ' + width)
  }
}
for (const [width, height] of ${JSON.stringify(SCREENS)}) {
  const home = await open('/', width, height)
  await untilAlive(home)
  for (const [part, selector] of Object.entries(${JSON.stringify(PARTS)})) {
    const element = home.querySelector(selector)
    const bottom = Math.round(element?.getBoundingClientRect().bottom ?? NaN)
    if (!(bottom <= height)) wrong.push('the ' + part + ' of the home page ends at ' + bottom + ' px of ' + height)
    if (element?.scrollWidth > element?.clientWidth) wrong.push('the ' + part + ' of the home page is cut off at ' + width)
  }
}
return wrong`,
  )
  return { pages: pages.length, wrong }
}
