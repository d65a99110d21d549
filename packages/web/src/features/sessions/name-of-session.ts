type Named = { id: number; title: string | null; prompt?: string | null; metadata?: Record<string, unknown> }

/** A session whose title is no more than its number, until its first turn rests, is named by its prompt. */
export function nameOfSession(session: Named): string {
  const { id, title, prompt } = session
  const opening = prompt?.trim().split('\n', 1)[0]?.slice(0, 120)
  return (isUntitled(session) ? opening || title : title) || `Session ${id}`
}

/** Whether its title is a placeholder. */
export function isUntitled({ title, metadata }: Pick<Named, 'title' | 'metadata'>): boolean {
  return !title || metadata?.auto_generated_title === true
}
