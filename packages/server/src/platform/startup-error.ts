/**
 * A reason Yardmaster cannot start, in one sentence for the person at the terminal. The entry point prints the
 * sentence and exits; everything else that is thrown during start-up is a fault and keeps its stack.
 */
export class Unfit extends Error {
  override readonly name = 'Unfit'
}
