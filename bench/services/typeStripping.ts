/** Flags for a program in TypeScript. The oldest supported Node strips types only with a flag. */
export const typeStripping: ReadonlyArray<string> =
  process.features.typescript === false
    ? ['--experimental-strip-types', '--disable-warning=ExperimentalWarning']
    : []
