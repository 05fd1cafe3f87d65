/** Pages of the public names, written from the doc comments: one for each entry of the package. */
import { readFileSync } from 'node:fs'

const { name, exports } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
)

/** The source of each entry, and its name in an import. */
const entries = Object.entries(exports)
  .filter(([, target]) => target.default !== undefined)
  .map(([path, target]) => ({
    source: target.default.replace('./dist/', '../src/').replace(/js$/, 'ts'),
    module: target.default.replace('./dist/', '').replace(/(\/index)?\.js$/, ''),
    specifier: path.replace(/^\./, name),
  }))

/** @type {Partial<import('typedoc').TypeDocOptions & import('typedoc-plugin-markdown').PluginOptions>} */
export default {
  plugin: ['typedoc-plugin-markdown'],
  tsconfig: 'tsconfig.typedoc.json',
  entryPoints: entries.map(({ source }) => source),
  out: '.pages/types',
  readme: 'none',
  router: 'member',
  entryFileName: 'entries',
  pageTitleTemplates: {
    index: 'Entries of the package',
    module: ({ name: module }) =>
      entries.find((entry) => entry.module === module)?.specifier ?? module,
  },
  hideBreadcrumbs: true,
  hidePageHeader: true,
  disableSources: true,
  useCodeBlocks: true,
  tableColumnSettings: { hideInherited: true, hideModifiers: true, hideOverrides: true },
  excludeExternals: true,
  excludePrivate: true,
  skipErrorChecking: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  logLevel: 'Error',
}
