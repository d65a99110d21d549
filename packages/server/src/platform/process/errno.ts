/** The system's code (`ENOENT`, `ESRCH`, ...) of an error that came from a system call, if it has one. */
export function errnoOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
