/** Browsers give no `crypto.randomUUID` to a page that is served by http from another host than localhost. */
export function newId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-')
}
