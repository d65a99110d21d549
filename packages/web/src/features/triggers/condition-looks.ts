import type { ConditionType } from '@yardmaster/contract/triggers/conditions'
import type { IconName } from '../../shared/kit/icon.tsx'

export const conditionLooks: Record<ConditionType, { label: string; icon: IconName }> = {
  schedule: { label: 'Schedule', icon: 'timer' },
  forge_issue: { label: 'New issue', icon: 'circle-dot' },
  forge_label: { label: 'Label', icon: 'tag' },
  chat: { label: 'Chat message', icon: 'message-square' },
  ao_event: { label: 'Another session', icon: 'bot' },
}
