import type { ModelRow } from '../models.ts'

/** From the CLI's model list. The operator's models file keeps sign-in rules and deprecations current. */
export const models: readonly ModelRow[] = [
  { id: 'gpt-6.1-sol', label: 'GPT-6.1 Sol', default: true },
  { id: 'gpt-6.1-terra', label: 'GPT-6.1 Terra', requires_oauth: true },
  { id: 'gpt-6-sol', label: 'GPT-6 Sol' },
  { id: 'gpt-6-luna', label: 'GPT-6 Luna', requires_oauth: true },
  { id: 'gpt-5.6-sol', label: 'GPT-5.6 Sol', leaves_oauth_on: '2026-08-31' },
  { id: 'gpt-5.6-terra', label: 'GPT-5.6 Terra', leaves_oauth_on: '2026-08-31' },
  { id: 'gpt-5.6-luna', label: 'GPT-5.6 Luna', deprecated: true },
  { id: 'gpt-5.5', label: 'GPT-5.5', deprecated: true },
]
