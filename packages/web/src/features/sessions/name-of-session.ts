/** A session that has no title yet is named by its prompt, else by its number. */
export function nameOfSession({
  id,
  title,
  prompt,
}: {
  id: number
  title: string | null
  prompt?: string | null
}): string {
  return title || prompt?.split('\n', 1)[0]?.slice(0, 120) || `Session ${id}`
}
