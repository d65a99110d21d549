/**
 * A reason Yardmaster cannot start, in one sentence for the operator. The entry point prints the sentence and exits.
 * Any other error thrown during start-up is a fault and is printed with its stack.
 */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}
