/** Pages of the public names, written from the doc comments: one for each entry of the package. */
const entries = [
  'index',
  'decode/index',
  'export/index',
  'quota/index',
  'sandbox/index',
  'scheduler/index',
  'stream/index',
  'stream/either/index',
  'webhooks/index',
]

/** @type {Partial<import('typedoc').TypeDocOptions & import('typedoc-plugin-markdown').PluginOptions>} */
export default {
  plugin: ['typedoc-plugin-markdown'],
  tsconfig: 'tsconfig.typedoc.json',
  entryPoints: entries.map((entry) => `../src/${entry}.ts`),
  out: '.pages/types',
  readme: 'none',
  router: 'module',
  entryFileName: 'entries',
  pageTitleTemplates: {
    index: 'Entries of the package',
    module: ({ name }) =>
      ({ index: 'payments-rx', 'stream/either': 'payments-rx/ObservableEither' })[name] ??
      `payments-rx/${name}`,
  },
  hideBreadcrumbs: true,
  hidePageHeader: true,
  disableSources: true,
  excludeExternals: true,
  excludePrivate: true,
  skipErrorChecking: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
  logLevel: 'Error',
}
