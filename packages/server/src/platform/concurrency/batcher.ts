type Serve<Ask, Answer> = (asks: readonly Ask[]) => Promise<readonly Answer[]>

/** Answers `ask` together with whatever else is asked under the same key, which is always served in the same way. */
export type Together = <Ask, Answer>(key: string, ask: Ask, serve: Serve<Ask, Answer>) => Promise<Answer>

/** Each ask may bring a long text, and whoever else wants what a group holds waits until it is done. */
const groupLimit = 100

type Waiting = { ask: unknown; answer(answer: unknown): void; fail(error: unknown): void }

/**
 * Group commit: who asks is served at once; who asks meanwhile waits, holding nothing, and is served with everybody who
 * waits by then, in the order of asking. A failure is that of the whole group: what one alone could be refused for has
 * to be settled before. Others who do the same elsewhere are not seen; that remains the business of a lock.
 */
export function servingTogether(): Together {
  const lines = new Map<string, Waiting[]>()

  const serveLine = async <Ask, Answer>(key: string, line: Waiting[], serve: Serve<Ask, Answer>): Promise<void> => {
    while (line.length > 0) {
      const group = line.splice(0, groupLimit)
      try {
        const answers = await serve(group.map(({ ask }) => ask as Ask)) // one key, one kind of ask
        if (answers.length !== group.length)
          throw new Error(`${group.length} asked and ${answers.length} were answered`)
        for (const [index, { answer }] of group.entries()) answer(answers[index])
      } catch (error) {
        for (const { fail } of group) fail(error)
      }
    }
    lines.delete(key)
  }

  return <Ask, Answer>(key: string, ask: Ask, serve: Serve<Ask, Answer>) =>
    new Promise<Answer>((resolve, reject) => {
      const waiting: Waiting = { ask, answer: (answer) => resolve(answer as Answer), fail: reject } // as above
      const line = lines.get(key)
      if (line) {
        line.push(waiting)
        return
      }
      const opened = [waiting]
      lines.set(key, opened)
      void serveLine(key, opened, serve)
    })
}
