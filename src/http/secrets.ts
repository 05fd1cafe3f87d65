/** What must not show. */

/** Replaces every occurrence of the secrets; those shorter than four characters would hit by chance. */
export const scrubber =
  (secrets: ReadonlyArray<string>) =>
  (text: string): string =>
    secrets
      .filter((secret) => secret.length >= 4)
      .reduce((rest, secret) => rest.replaceAll(secret, '[secret]'), text)

/** Whether a text can stand in a header: `fetch` would refuse another one by repeating it. */
export const fitsHeader = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]+$/.test(text)
