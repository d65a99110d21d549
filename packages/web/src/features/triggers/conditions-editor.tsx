import type { ConditionType } from '@yardmaster/contract/triggers/conditions'
import type { ReactNode } from 'react'
import type { Result } from '../../shared/api/client.ts'
import { IconButton } from '../../shared/kit/button.tsx'
import { Icon } from '../../shared/kit/icon.tsx'
import { Menu } from '../../shared/kit/menu.tsx'
import { ConditionFields } from './condition-fields.tsx'
import { conditionLooks } from './condition-looks.ts'
import { type Condition, newCondition } from './trigger-form.ts'

export type PreviewedCondition = Result<'triggers.preview'>['conditions'][number]

type Props = {
  conditions: readonly Condition[]
  /** What the server says about each, by its key. */
  previewed: ReadonlyMap<string, PreviewedCondition>
  onChange: (conditions: readonly Condition[]) => void
}

const types = Object.keys(conditionLooks) as ConditionType[]

export function ConditionsEditor({ conditions, previewed, onChange }: Props): ReactNode {
  const replace = (index: number, configuration: Record<string, unknown>) =>
    onChange(conditions.map((one, place) => (place === index ? { ...one, configuration } : one)))
  return (
    <div className="flex flex-col gap-3">
      {conditions.map(({ key, type, configuration }, index) => {
        const { label, icon } = conditionLooks[type]
        const { description, problems = [] } = previewed.get(key) ?? {}
        return (
          <fieldset key={key} aria-label={label} className="min-w-0 rounded-md border border-line p-3">
            <div className="mb-3 flex items-center gap-2">
              <Icon name={icon} className="text-muted" />
              <span className="font-semibold">{label}</span>
              <span className="min-w-0 grow text-muted text-sm md:truncate">{description}</span>
              <IconButton
                icon="trash-2"
                size="sm"
                label={`Remove the condition ${label}`}
                disabled={conditions.length === 1}
                onClick={() => onChange(conditions.filter((_, place) => place !== index))}
              />
            </div>
            <div className="grid gap-4 md:grid-cols-2">
              <ConditionFields
                type={type}
                configuration={configuration}
                onChange={(changes) => replace(index, withoutUndefined({ ...configuration, ...changes }))}
              />
            </div>
            {problems.map((problem) => (
              <p key={problem} className="mt-2 text-needs text-sm">
                {problem.replace('Trigger conditions configuration ', '')}
              </p>
            ))}
          </fieldset>
        )
      })}
      <div>
        <Menu
          label="Add a condition"
          icon="plus"
          items={types.map((type) => ({
            label: conditionLooks[type].label,
            icon: conditionLooks[type].icon,
            onSelect: () => onChange([...conditions, newCondition(type)]),
          }))}
        >
          Add a condition
        </Menu>
      </div>
    </div>
  )
}

function withoutUndefined(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
}
