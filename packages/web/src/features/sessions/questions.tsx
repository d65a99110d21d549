import type { ReactNode } from 'react'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { type Elicitation, ElicitationForm } from '../elicitations/elicitation-form.tsx'
import type { FailedRead } from './use-conversation.ts'

type QuestionsProps = { elicitations: readonly Elicitation[]; failed: FailedRead | undefined }

/** What the agent asks, above the composer, or why it cannot be read: a question must not be absent without a word. */
export default function Questions({ elicitations, failed }: QuestionsProps): ReactNode {
  const isAsking = elicitations.length > 0
  return (
    <div
      className={`max-h-[45dvh] shrink-0 overflow-y-auto border-line border-t py-3 ${isAsking ? 'bg-needs-soft' : 'bg-surface'}`}
    >
      <div className="mx-auto flex max-w-3xl flex-col gap-5 px-3 md:px-5">
        <ErrorNote error={failed?.error} onRetry={() => failed?.refetch()} />
        {elicitations.map((elicitation) => (
          <ElicitationForm key={elicitation.id} elicitation={elicitation} />
        ))}
      </div>
    </div>
  )
}
