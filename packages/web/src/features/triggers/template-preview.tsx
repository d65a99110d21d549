import { type ReactNode, useState } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { Callout } from '../../shared/kit/callout.tsx'
import { TextField } from '../../shared/kit/field.tsx'

const samples: Record<string, string> = {
  link: 'https://forge.example/acme/api/issues/7',
  text: 'The retry waits forever when the clock jumps.',
  author: 'ada',
  channel: 'alerts',
  event: 'New issue',
  repo: 'acme/api',
  number: '7',
  title: 'Retry never ends',
  labels: 'bug, p1',
  channel_id: 'C01ABC',
  message_ts: '1712345678.000100',
  thread_ts: '1712345678.000100',
  author_id: 'U01ABC',
}

/** Sample values until a person types their own. */
export function useSamples(): [values: Record<string, string>, setValue: (name: string, value: string) => void] {
  const [values, setValues] = useState(samples)
  return [values, (name, value) => setValues((all) => ({ ...all, [name]: value }))]
}

type PlaceholderFieldsProps = {
  names: readonly string[]
  values: Record<string, string>
  onChange: (name: string, value: string) => void
}

/** One field a placeholder. */
export function PlaceholderFields({ names, values, onChange }: PlaceholderFieldsProps): ReactNode {
  return (
    <div className="grid gap-3 md:grid-cols-2">
      {names.map((name) => (
        <TextField
          key={name}
          label={name}
          value={values[name] ?? ''}
          onChange={(event) => onChange(name, event.currentTarget.value)}
        />
      ))}
    </div>
  )
}

/** The prompt as an agent would get it. */
export function RenderedPrompt({ preview }: { preview: Result<'triggers.preview'> | undefined }): ReactNode {
  if (!preview) return null
  return (
    <div className="flex flex-col gap-2">
      {preview.unknown_placeholders.length > 0 && (
        <Callout tone="needs">
          No event fills {preview.unknown_placeholders.map((name) => `{{${name}}}`).join(', ')}: the agent gets it as it
          is written.
        </Callout>
      )}
      <section
        aria-label="The prompt as the agent gets it"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard.
        tabIndex={0}
        className="max-h-64 overflow-auto whitespace-pre-wrap break-words rounded-md bg-canvas p-3 font-mono text-sm"
      >
        {preview.prompt || <span className="text-muted">Empty</span>}
      </section>
    </div>
  )
}
