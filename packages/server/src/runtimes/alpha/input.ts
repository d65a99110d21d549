import type { Child } from '../../platform/process/launch.ts'

/** The CLI's standard input. The CLI exits after it is closed. */
export type Input = { send(text: string): void; close(): void }

export function openInput({ stdin }: Pick<Child, 'stdin'>): Input {
  stdin?.on('error', () => undefined) // the exit status reports that the agent is gone
  return {
    send: (text) => {
      if (stdin?.writable) stdin.write(text)
    },
    close: () => {
      stdin?.end()
    },
  }
}
