/** The code of a failed system call (`ENOENT`, `ESRCH`, ...), if the error has one. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
