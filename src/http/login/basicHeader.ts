/** HTTP Basic, for the partner calls (interface, Authentication): name and password as UTF-8. */
export const basicHeader = (clientId: string, clientSecret: string): string => {
  const bytes = new TextEncoder().encode(`${clientId}:${clientSecret}`)
  return `Basic ${btoa(String.fromCharCode(...bytes))}`
}
