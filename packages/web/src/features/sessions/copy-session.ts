import { call } from '../../shared/api/client.ts'
import { copyText } from '../../shared/kit/copy-text.ts'
import type { Toasts } from '../../shared/kit/toasts.tsx'

export async function copyTranscript(id: number, toasts: Toasts): Promise<void> {
  try {
    const answer = await call('sessions.transcript', { id: String(id), format: 'text' })
    const text = typeof answer === 'string' ? answer : answer.transcript_text
    await copyText(text, { toasts, said: 'Transcript copied' })
  } catch (error) {
    toasts.complain(error)
  }
}

/** With the number, which stays when the slug changes. */
export async function copyLink(id: number, toasts: Toasts): Promise<void> {
  await copyText(`${location.origin}/sessions/${id}`, { toasts, said: 'Link copied' })
}
