import type { Child } from '../../platform/process/launch.ts'

/** The CLI's standard input. It begins to end when there is nothing more to hear. */
export type Input = { tell(text: string): void; hangUp(): void }

export function openInput({ stdin }: Pick<Child, 'stdin'>): Input {
  stdin?.on('error', () => undefined) // an agent that is gone cannot be told anything; its exit says the rest
  return {
    tell: (text) => {
      if (stdin?.writable) stdin.write(text)
    },
    hangUp: () => {
      stdin?.end()
    },
  }
}
