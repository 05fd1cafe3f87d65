/** What the help page of an export says after its options. */

/** Of each resource, after its name. */
const EXAMPLES: Readonly<Record<string, ReadonlyArray<string>>> = {
  charges: [
    '--sandbox --rows 100000 --out charges.ndjson',
    '--from 2026-01-01 --status SETTLED --out paid.csv',
    '--out charges.parquet --resume',
    '--out charges/ --format parquet --since-last',
    '--out - | jq .id',
  ],
  'batch-transfers': ['--status BOOKED --out booked.csv'],
  'batch-items': ['--batch BATCH_ID --out items.ndjson'],
  webhooks: ['--out webhooks.json'],
  'partner-webhooks': ['--out webhooks.json'],
}

export const help = (name: string): string => `
Every second (Parquet: ten) all that was read is made durable, and
FILE.checkpoint.json says up to where: after whatever stopped it, the same
command with --resume goes on. At the end FILE.manifest.json says what is in the
files; "payments-rx verify FILE" checks them. Rows that cannot be written go to
FILE.rejects.ndjson, each with the reason (with --out - to stderr).

Exit status:
  0    complete: every row is written
  1    incomplete: the last line says why
  2    wrong use, something is in the way, or the service refuses it: nothing
       was changed
  130  stopped by Ctrl-C (143 by SIGTERM), with all that was read written
  141  who read stdout went away

Examples:
${(EXAMPLES[name] ?? []).map((words) => `  payments-rx export ${name} ${words}`).join('\n')}`
