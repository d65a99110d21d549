/** A catalog's id as the name of a folder: `@scope/review` is `review`. */
export function folderName(id: string): string {
  const name = (id.split('/').at(-1) ?? '').replace(/[^\w.-]/g, '-')
  return /^\.*$/.test(name) ? 'unnamed' : name
}
