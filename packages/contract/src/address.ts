export const apiPrefix = '/api/v1'

/** The whole path of a declared one. A path that begins with `/api/` or `/web/` is outside of the versioned API. */
export function wholePath(path: string): string {
  return isWhole(path) ? path : apiPrefix + path
}

export function isWhole(path: string): boolean {
  return path.startsWith('/api/') || path.startsWith('/web/')
}
