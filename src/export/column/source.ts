/** The value of a column as code: `row?.["fee"]?.["amount"]`. */
export const sourceOf = (path: ReadonlyArray<string>): string =>
  `row${path.map((key) => `?.[${JSON.stringify(key)}]`).join('')}`
