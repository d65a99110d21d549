import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { useRead } from '../../shared/api/hooks.ts'
import { Button } from '../../shared/kit/button.tsx'
import { Select, TextArea, TextField } from '../../shared/kit/field.tsx'
import { Icon } from '../../shared/kit/icon.tsx'
import { KeptDraft } from '../../shared/kit/kept-draft.tsx'
import { ErrorNote } from '../../shared/kit/notes.tsx'
import { FormActions, Panel } from '../../shared/kit/page.tsx'
import { ArtifactListFields, listsOfRoot } from '../catalog/artifact-lists.tsx'
import { ConditionsEditor, type PreviewedCondition } from './conditions-editor.tsx'
import { NextFires } from './next-fires.tsx'
import { PlaceholderFields, RenderedPrompt, useSamples } from './template-preview.tsx'
import { attributesOf, type Condition, type Trigger, type TriggerValues } from './trigger-form.ts'
import { TriggerOptions } from './trigger-options.tsx'
import { usePreview } from './use-preview.ts'

type Props = {
  values: TriggerValues
  onChange: (changes: Partial<TriggerValues>) => void
  /** Absent while there is nothing to discard. */
  onDiscard: (() => void) | undefined
  stored?: Trigger
  error: unknown
  isBusy: boolean
  submitLabel: string
  onSubmit: () => void
}

/** The form of a new and of a stored trigger, with what the server makes of it while it is typed. */
export function TriggerEditor(props: Props): ReactNode {
  const { values, onChange, onDiscard, stored, error, isBusy, submitLabel, onSubmit } = props
  const configs = useRead('configs.show', {})
  const [samples, setSample] = useSamples()
  const preview = usePreview({
    ...(stored && { trigger_id: stored.id }),
    trigger_conditions_attributes: attributesOf(values.conditions),
    prompt_template: values.template,
    variables: samples,
  })
  const previewed = usePreviewedConditions(preview, values.conditions)
  const roots = configs.data?.agent_roots ?? []
  const root = roots.find(({ name }) => name === values.root)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  const missingRoot = values.root !== '' && configs.data && !root
  const rootOptions = roots.map(({ name, display_name }) => ({ value: name, label: display_name }))
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <ErrorNote error={configs.error} onRetry={() => configs.refetch()} />
      <Panel title="What it starts">
        <div className="grid gap-4 p-4 md:grid-cols-2">
          <TextField
            label="Name"
            hint="Also the title of its sessions"
            required
            maxLength={255}
            value={values.name}
            onChange={(event) => onChange({ name: event.currentTarget.value })}
          />
          <Select
            label="Root"
            required
            hint={root?.description ?? 'Where its sessions work'}
            error={missingRoot ? 'The catalog has no such root' : undefined}
            value={values.root}
            options={[
              { value: '', label: 'Choose one' },
              ...rootOptions,
              // Also before the roots are read: without it the form counts as incomplete.
              ...(values.root !== '' && !root ? [{ value: values.root, label: values.root }] : []),
            ]}
            onChange={(event) => onChange({ root: event.currentTarget.value })}
          />
          <div className="md:col-span-2">
            <TextArea
              label="Prompt"
              rows={6}
              required
              value={values.template}
              onChange={(event) => onChange({ template: event.currentTarget.value })}
              hint="Events fill {{link}}, {{text}}, {{author}}, {{channel}}, {{repo}}, {{number}}, {{title}} and {{labels}}; {{date}} and {{time}} are always there."
            />
          </div>
        </div>
      </Panel>
      <Panel title="When it fires">
        <div className="flex flex-col gap-4 p-4">
          <ConditionsEditor
            conditions={values.conditions}
            previewed={previewed}
            onChange={(conditions) => onChange({ conditions })}
          />
          <div>
            <h3 className="font-medium text-sm">Next fires</h3>
            <ErrorNote error={preview.error} />
            {preview.data && <NextFires fires={preview.data.next_fires} />}
          </div>
        </div>
      </Panel>
      {values.template !== '' && (
        <Panel title="What the agent is told">
          <div className="flex flex-col gap-3 p-4">
            <PlaceholderFields names={preview.data?.placeholders ?? []} values={samples} onChange={setSample} />
            <RenderedPrompt preview={preview.data} />
          </div>
        </Panel>
      )}
      <details className="group rounded-lg border border-line bg-surface">
        <summary className="flex min-h-10 list-none items-center gap-1.5 px-3 py-2 font-semibold">
          <Icon name="chevron-right" size={14} className="transition-transform group-open:rotate-90" />
          Limits, class and what its sessions are given
        </summary>
        <div className="flex flex-col gap-6 border-line border-t p-4">
          <TriggerOptions values={values} onChange={onChange} />
          <ArtifactListFields
            key={values.root}
            lists={values.lists}
            defaults={configs.data && listsOfRoot(root)}
            onChange={(lists) => onChange({ lists })}
          />
        </div>
      </details>
      <ErrorNote error={error} />
      <FormActions>
        <KeptDraft onDiscard={onDiscard} />
        <Button type="submit" look="primary" isBusy={isBusy}>
          {submitLabel}
        </Button>
      </FormActions>
    </form>
  )
}

/** What the server last said about each condition. It stays while others are added, removed or typed. */
function usePreviewedConditions(
  { data, isCurrent }: ReturnType<typeof usePreview>,
  conditions: readonly Condition[],
): ReadonlyMap<string, PreviewedCondition> {
  const [latest, setLatest] = useState<ReadonlyMap<string, PreviewedCondition>>(new Map())
  useEffect(() => {
    if (!isCurrent || !data) return
    setLatest(
      new Map(conditions.flatMap(({ key }, index) => (data.conditions[index] ? [[key, data.conditions[index]]] : []))),
    )
  }, [data, isCurrent, conditions])
  return latest
}
