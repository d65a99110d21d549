import type { ReactNode } from 'react'
import { useScope } from './open-rows.ts'
import PartText from './part-text.tsx'
import type { ToolCall } from './rows.ts'
import { hasFailed } from './summarize-tools.ts'

/** What a tool was given and what it answered. Loaded with the first call that is opened. */
export default function CallDetails({ call: { input, result, ...call } }: { call: ToolCall }): ReactNode {
  const { isWorking } = useScope()
  return (
    <div className="my-1 ml-5 min-w-0 divide-y divide-line overflow-hidden rounded-md border border-line bg-surface">
      {input && input.part.text !== '{}' && <PartText located={input} />}
      {result ? (
        <PartText located={result} isFailed={hasFailed({ ...call, input, result })} />
      ) : (
        <p className="px-3 py-1.5 text-muted text-sm">{isWorking ? 'No result yet' : 'No result was recorded'}</p>
      )}
    </div>
  )
}
