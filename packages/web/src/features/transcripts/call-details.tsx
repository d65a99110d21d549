import type { ReactNode } from 'react'
import { IconButton } from '../../shared/kit/button.tsx'
import { copyText } from '../../shared/kit/copy-text.ts'
import { useToasts } from '../../shared/kit/toasts.tsx'
import { useScope } from './open-rows.ts'
import PartText from './part-text.tsx'
import type { ToolCall } from './rows.ts'
import { hasFailed, kindOf } from './summarize-tools.ts'

/** What a tool was given and what it answered. Loaded with the first call that is opened. */
export default function CallDetails({ call: { input, result, ...call } }: { call: ToolCall }): ReactNode {
  const { isWorking, thread } = useScope()
  const language = kindOf(call.name) === 'read' ? /\.(\w+)$/.exec(call.summary)?.[1] : undefined
  return (
    <div className="my-1 ml-5 min-w-0 divide-y divide-line overflow-hidden rounded-md border border-line bg-surface">
      {input && input.part.text !== '{}' && <PartText located={input} />}
      {result ? (
        <PartText located={result} isFailed={hasFailed({ ...call, input, result })} language={language} />
      ) : (
        <p className="px-3 py-1.5 text-muted text-sm">{isWorking ? 'No result yet' : 'No result was recorded'}</p>
      )}
      {thread === 'main' && <CopyLink sequence={call.sequence} />}
    </div>
  )
}

function CopyLink({ sequence }: { sequence: number }): ReactNode {
  const { sessionId } = useScope()
  const toasts = useToasts()
  const copy = () => copyText(`${location.origin}/sessions/${sessionId}#e${sequence}`, { toasts, said: 'Link copied' })
  return (
    <div className="flex justify-end px-1 py-0.5">
      <IconButton size="sm" icon="link" label="Copy the link" onClick={copy} />
    </div>
  )
}
