/** Flags for a program in TypeScript: the oldest Node strips types only when it is told to. */
export const typeStripping: ReadonlyArray<string> =
  process.features.typescript === false
    ? ['--experimental-strip-types', '--disable-warning=ExperimentalWarning']
    : []
