/** The folder name for a catalog id: `review` for `@scope/review`. */
export function folderName(id: string): string {
  const name = (id.split('/').at(-1) ?? '').replace(/[^\w.-]/g, '-')
  return /^\.*$/.test(name) ? 'unnamed' : name
}
