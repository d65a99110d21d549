import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { showAtOnce } from '../../shared/api/at-once.ts'
import { useWrite } from '../../shared/api/hooks.ts'
import { Code } from '../../shared/kit/copy-button.tsx'
import { Switch } from '../../shared/kit/field.tsx'
import { Panel } from '../../shared/kit/page.tsx'
import type { Trigger } from './trigger-form.ts'

/** What happens to the session that a trigger follows up. Switched here, without the form. */
export function DeliveryPanel({ trigger }: { trigger: Trigger }): ReactNode {
  const { id, reuse_session, last_session_id, enqueue_messages, resuscitate_archived } = trigger
  const update = useWrite('triggers.update', {
    optimistic: (cache, { id, ...changes }) =>
      showAtOnce(cache, { name: 'triggers.show', input: { id }, part: 'trigger' }, changes as Partial<Trigger>),
  })
  if (!reuse_session) return null
  const change = (changes: { enqueue_messages?: boolean; resuscitate_archived?: boolean }) =>
    update.mutate({ id: String(id), ...changes })
  return (
    <Panel
      title="Follows up one session"
      actions={
        last_session_id !== null && (
          <Link
            to="/sessions/$id"
            params={{ id: String(last_session_id) }}
            className="text-accent-text text-sm hover:underline"
          >
            Session {last_session_id}
          </Link>
        )
      }
    >
      <div className="px-3 py-1">
        <Switch
          label="Queue the prompt while it runs"
          hint="Otherwise a fire is dropped while the session runs"
          isOn={enqueue_messages}
          isDisabled={update.isPending}
          onChange={(isOn) => change({ enqueue_messages: isOn })}
        />
        <Switch
          label="Restore it from the archive"
          hint="Otherwise a fire starts another session when this one is archived"
          isOn={resuscitate_archived}
          isDisabled={update.isPending}
          onChange={(isOn) => change({ resuscitate_archived: isOn })}
        />
      </div>
    </Panel>
  )
}

const webhooks: Partial<Record<Trigger['conditions'][number]['condition_type'], string>> = {
  chat: 'chat',
  forge_issue: 'forge',
  forge_label: 'forge',
}

/** What other programs need to know of a trigger. */
export function AddressesPanel({ trigger: { id, conditions } }: { trigger: Trigger }): ReactNode {
  const platforms = [...new Set(conditions.flatMap(({ condition_type }) => webhooks[condition_type] ?? []))]
  const rows = [
    { name: 'Id', value: String(id) },
    { name: 'Fires by a POST to', value: `${location.origin}/api/v1/triggers/${id}/invoke` },
    ...platforms.map((platform) => ({
      name: `Webhook of the ${platform === 'chat' ? 'chat platform' : 'forge'}`,
      value: `${location.origin}/api/v1/webhooks/${platform}`,
    })),
  ]
  return (
    <Panel title="For other programs">
      <dl className="grid gap-x-4 gap-y-1 p-3 md:grid-cols-[auto_minmax(0,1fr)] md:items-center">
        {rows.map(({ name, value }) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0">
              <Code label={name}>{value}</Code>
            </dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}
