import type { ReactNode } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { useRead } from '../../shared/api/hooks.ts'
import { Select, Switch, TextArea, TextField } from '../../shared/kit/field.tsx'
import { Icon } from '../../shared/kit/icon.tsx'
import type { NewSessionValues, Root } from './new-session-form.ts'

type Props = {
  configs: Result<'configs.show'> | undefined
  values: NewSessionValues
  root: Root | undefined
  /** The runtime that the session will have. */
  runtime: string
  onChange: (changes: Partial<NewSessionValues>) => void
}

/** What the root would choose, each shown with where it comes from, and open to change. */
export function NewSessionOptions({ configs, values, root, runtime, onChange }: Props): ReactNode {
  const categories = useRead('categories.list', {}).data?.categories ?? []
  const models = configs?.runtime_models[runtime]
  const defaultModel = (values.runtime === '' && root?.default_model) || models?.default
  const from = root ? `from ${root.display_name}` : 'the default'
  const text = (name: 'repository' | 'branch' | 'subdirectory' | 'title' | 'goal' | 'compactWindow') => ({
    value: values[name],
    onChange: (event: { currentTarget: { value: string } }) => onChange({ [name]: event.currentTarget.value }),
  })
  return (
    <>
      <div className="grid gap-4 md:grid-cols-2">
        <TextField
          label="Repository"
          {...text('repository')}
          required={!root?.url}
          placeholder={root?.url ?? 'https://… or /a/local/path'}
          hint={root?.url ? `Empty: ${from}` : 'An address that git can clone, or a path on the server'}
        />
        <TextField
          label="Branch"
          {...text('branch')}
          placeholder={root?.default_branch ?? 'main'}
          hint={`Empty: ${from}`}
        />
        <Select
          label="Runtime"
          value={values.runtime}
          onChange={(event) => onChange({ runtime: event.currentTarget.value, model: '' })}
          options={[
            { value: '', label: root ? `${root.default_runtime} (${from})` : 'The default of the server' },
            ...Object.keys(configs?.runtime_models ?? {}).map((name) => ({ value: name, label: name })),
          ]}
        />
        <Select
          label="Model"
          value={values.model}
          onChange={(event) => onChange({ model: event.currentTarget.value })}
          options={[
            { value: '', label: defaultModel ? `${defaultModel} (the default)` : 'The default' },
            ...(models?.models ?? []).map(({ id, label }) => ({ value: id, label })),
          ]}
        />
      </div>
      <details className="group">
        <summary className="flex h-8 list-none items-center gap-1.5 font-medium text-muted hover:text-text">
          <Icon name="chevron-right" size={14} className="transition-transform group-open:rotate-90" />
          Title, goal, class and more
        </summary>
        <div className="grid gap-4 pt-2 md:grid-cols-2">
          <TextField label="Title" {...text('title')} maxLength={100} placeholder="Made from the prompt" />
          <TextField
            label="Directory"
            {...text('subdirectory')}
            placeholder={root?.subdirectory ?? 'The whole repository'}
            hint="In the repository, where the agent works"
          />
          <div className="md:col-span-2">
            <TextArea
              label="Goal"
              {...text('goal')}
              rows={2}
              placeholder={root?.default_goal ?? 'When is the agent done?'}
              {...(root?.default_goal && { hint: `Empty: ${from}` })}
            />
          </div>
          <Select
            label="Class"
            value={values.schedulingClass}
            onChange={(event) =>
              onChange({ schedulingClass: event.currentTarget.value as NewSessionValues['schedulingClass'] })
            }
            options={[
              { value: '', label: 'By its origin' },
              { value: 'priority', label: 'Priority: starts at once' },
              { value: 'spot', label: 'Spot: waits for a free slot' },
            ]}
          />
          <Select
            label="Category"
            value={values.category}
            onChange={(event) => onChange({ category: event.currentTarget.value })}
            options={[
              { value: '', label: 'Uncategorized' },
              ...categories.map(({ id, name }) => ({ value: String(id), label: name })),
            ]}
          />
          {models?.takes_compact_window && (
            <TextField
              label="Compact at"
              {...text('compactWindow')}
              type="number"
              min={1}
              max={1_000_000}
              placeholder="The agent's own limit"
              hint="Tokens of context at which it summarises what came before"
            />
          )}
          <Switch
            label="Ask before it acts"
            hint="People decide what the agent may do."
            isOn={values.asksPermission}
            onChange={(asksPermission) => onChange({ asksPermission })}
          />
          {models?.takes_commands && (
            <Switch
              label="Run slash commands"
              hint="A prompt that begins with a slash is a command of the agent's program, and the model does not see it."
              isOn={values.runsCommands}
              onChange={(runsCommands) => onChange({ runsCommands })}
            />
          )}
        </div>
      </details>
    </>
  )
}
