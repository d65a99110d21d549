import type { ReactNode } from 'react'
import { type Elicitation, ElicitationForm } from '../elicitations/elicitation-form.tsx'

/** What the agent asks, above the composer. */
export default function Questions({ elicitations }: { elicitations: readonly Elicitation[] }): ReactNode {
  return (
    <div className="max-h-[45dvh] shrink-0 overflow-y-auto border-line border-t bg-needs-soft py-3">
      <div className="mx-auto flex max-w-3xl flex-col gap-5 px-3 md:px-5">
        {elicitations.map((elicitation) => (
          <ElicitationForm key={elicitation.id} elicitation={elicitation} />
        ))}
      </div>
    </div>
  )
}
