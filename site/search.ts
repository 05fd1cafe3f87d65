/** Search: its options, words by which a section should be found besides its own, and queries with what they lead to. */

/** Options of the index and of a search. Each function stands alone, since VitePress writes its text into the page. */
export const miniSearch = {
  options: {
    /** Stop words are neither found nor marked. */
    processTerm: (term: string): string | null =>
      /^(a|an|and|any|are|as|at|be|by|can|do|does|for|from|how|i|in|into|is|it|its|my|no|of|on|or|that|the|this|to|was|what|when|where|which|why|with|without|you|your)$/i.test(
        term,
      )
        ? null
        : term.toLowerCase(),
  },
  searchOptions: {
    prefix: true,
    /** A wrong letter in words that are long enough to be recognized. */
    fuzzy: (term: string): number | boolean => term.length > 4 && 0.2,
    boost: { title: 3, text: 2, titles: 1 },
    /**
     * Guides first, since a page of types has every word; of these, the ones for this API; and whole pages before their
     * sections.
     */
    boostDocument: (
      id: string,
      _term: string,
      stored?: Readonly<Record<string, unknown>>,
    ): number => {
      const titles = Array.isArray(stored?.titles) ? stored.titles : []
      const path = `${titles.join(' ')} ${stored?.title}`
      return (
        (id.startsWith('/types/') ? 0.1 : /^\/(reference|internals)\//.test(id) ? 0.4 : 1) *
        (path.includes('any API') ? 0.5 : 1) *
        (titles.length === 0 ? 2 : 1)
      )
    },
  },
}

/** Synonyms, by title of a page or section. */
export const searchWords: Readonly<Record<string, string>> = {
  'Runtimes, bundlers and serverless':
    'webpack esbuild rollup vite nextjs lambda vercel netlify edge cold start external bun deno workers',
  'Every call': 'openapi swagger endpoints routes calls specification',
  Exports: 'download dump csv file out of memory resume interrupted killed progress bar eta',
  'Logs, traces and metrics':
    'opentelemetry grafana prometheus spans telemetry log debug pino verbose',
  'Many machines':
    'several machines redis distributed quota shared processes parallel bullmq jobs queue airflow kubernetes indexed job backfill day by redo',
  Payments:
    'pay a file payroll wages salaries csv spreadsheet mass payment bulk transfer payout duplicate double request_id idempotency retry safe twice',
  'Troubleshooting and FAQ':
    'out of memory hangs slow fix problem ECONNRESET diagnose check connection setup health questions doctor',
  'Which tool for which job': 'compare which choose glossary terms overview',
  Client:
    'cancel abort unsubscribe timeout proxy API key environment variables hooks interceptor middleware',
  Decoding: 'validation schema io-ts decoder unknown fields drift exact numbers precision',
  'Failures and retries': 'errors error handling exceptions status codes 429',
  'Follow charges': 'poll polling watch tail new charges changes live',
  'Formats and files':
    'csv excel ndjson json parquet gzip zstd compression spreadsheet accounting bookkeeping csv for accounting',
  'From other libraries': 'migrate axios async iterator compare',
  'In a container, by cron or Kubernetes': 'airflow docker kubernetes cron SIGTERM volume',
  'Into S3 and a warehouse': 's3 bucket minio ceph r2 aws',
  'Keep a table up to date':
    'sqlite table, sqlite database, postgres postgresql database table incremental replicate upsert nightly',
  Limits: 'rate limit rate limiting throttling 429 too many requests quota',
  'Lists and pagination': 'pagination cursor next page async iterate paging',
  'Lists and retries of any API': 'rxjs fp-ts operators either mergeMap back-pressure',
  'Make one call from the shell': 'curl raw request from the shell',
  'Measure it': 'benchmark performance throughput speed',
  'Rate limits for any API: the scheduler': 'p-queue bottleneck own API limiter',
  Recipes: 'examples how to snippets singer meltano tap airbyte',
  Sandbox: 'mock fake server test account simulator faults',
  Snapshots: 'consistent backfill time slices historical',
  'Start here': 'quick start tutorial getting started install hello world',
  Testing: 'unit test vitest jest fake timers virtual time',
  Trust: 'security secrets integrity audit proof',
  Webhooks: 'signature verify deliveries events receiver express duplicate webhook twice',
  'Write your own destination':
    'mysql azure custom sink target write rows somewhere else warehouse BigQuery Snowflake',
}

/** Queries, and the title of the page, or of one of its sections, that should be first. */
export const QUERIES: Readonly<Record<string, string>> = {
  'csv for accounting': 'Formats and files',
  'pay a file': 'Payments',
  'rate limit': 'Limits',
  resume: 'Exports',
  'webhook twice': 'Webhooks',
  'too many requests': 'Limits',
  'API key': 'Client',
  cancel: 'Client',
  'copy charges to postgres': 'Keep a table up to date',
  'export to s3': 'Into S3 and a warehouse',
  'run in docker': 'In a container, by cron or Kubernetes',
  'getting started': 'Start here',
  'new charges': 'Follow charges',
  'next page of a list': 'Lists and pagination',
  'mock for a unit test': 'Testing',
  'several machines': 'Many machines',
  'double payment': 'Payments',
  'out of memory': 'Troubleshooting and FAQ',
  payroll: 'Payments',
  opentelemetry: 'Logs, traces and metrics',
  'verify a signature': 'Webhooks',
  'mass payment': 'Payments',
  webpack: 'Runtimes, bundlers and serverless',
  benchmark: 'Measure it',
  bullmq: 'Many machines',
  'curl a call': 'Make one call from the shell',
  'error handling': 'Failures and retries',
  proxy: 'Client',
  'back-pressure': 'Lists and pagination',
  swagger: 'Every call',
}

/** Finds the heading of a title in HTML. @public */
export const headingOf = (title: string): RegExp =>
  new RegExp(
    `<h([123])[^>]*>${title.replaceAll(/[^\w ]/g, '\\$&')} <a class="header-anchor".*?</h\\1>`,
  )
