/**
 * SQLSTATE codes that mean PostgreSQL cannot work for the moment, whatever the statement: it is shutting down or starting
 * up, has closed our session, or met an I/O error. Classes 08, 28 and 53: no connection, no admittance, and not enough disk,
 * memory or connections. An operator who changes the password of the database changes it for the hosts a moment later, and
 * no turn may fail meanwhile.
 */
const outageStates = ['57P01', '57P02', '57P03', '25P03', '58030']
const outageClasses = /^(08|28|53)...$/

const socketCodes = [
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ENOTFOUND',
  'EMFILE',
  'ENFILE',
]

/** The driver reports a broken connection only by its message. */
const driverSentences = [
  /^Connection terminated/,
  /^Query read timeout/,
  /^timeout exceeded when trying to connect/,
  /^timeout expired/,
  /^Client has encountered a connection error/,
  /^Cannot use a pool after calling end/,
  /^Client was closed and is not queryable/,
  /^driver has already been destroyed/,
]

/** Whether the error means that the database could not work, rather than that it rejected a statement. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError && error.errors.some(isOutage)) return true
  const code = codeOf(error)
  if (code !== undefined && (outageStates.includes(code) || outageClasses.test(code) || isSocketFailure(error, code)))
    return true
  return driverSentences.some((sentence) => sentence.test(error.message))
}

/** The server refused our user or password. A host that starts reports this at once; one that runs waits for the end of it. */
export function isTurnedAway(error: unknown): boolean {
  return error instanceof Error && /^28...$/.test(codeOf(error) ?? '')
}

/** The driver waited too long for the answer; the connection still waits for it. */
export function isQueryTimeout(error: unknown): boolean {
  return error instanceof Error && /^Query read timeout/.test(error.message)
}

/** Deadlock, serialisation failure, or changed tables: the transaction can be retried. */
export function isConflict(error: unknown): boolean {
  const code = error instanceof Error ? codeOf(error) : undefined
  return code === '40P01' || code === '40001' || isOutdatedStatement(error)
}

/** The statement waited for a lock longer than `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === '55P03'
}

/** The transaction has failed and accepts no more statements. */
export function isAborted(error: unknown): boolean {
  return error instanceof Error && codeOf(error) === '25P02'
}

/** A prepared statement no longer exists, or its result type has changed. */
export function isOutdatedStatement(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = codeOf(error)
  return code === '26000' || (code === '0A000' && /cached plan/.test(error.message))
}

/** Only system calls on sockets count: the same codes from a file are not about the database. */
function isSocketFailure(error: Error, code: string): boolean {
  if (!socketCodes.includes(code)) return false
  const call = 'syscall' in error ? error.syscall : undefined
  return call === 'connect' || call === 'read' || call === 'write' || call === 'getaddrinfo' || call === 'socket'
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
