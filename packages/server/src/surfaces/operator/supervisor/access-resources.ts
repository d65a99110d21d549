import { actorKinds, surfaces } from '@yardmaster/contract/audit/fields'
import { keyScopes } from '../../../platform/http/key-check.ts'
import { id, text } from './key-patterns.ts'
import type { Resource } from './resources.ts'

/** Who may do what, and who did. */
export const accessResources: readonly Resource[] = [
  {
    name: 'api_keys',
    title: 'API keys',
    one: 'API key',
    about: 'Keys with a name and a scope, beside those of API_KEYS. What a key did is in the audit log.',
    table: 'api_keys',
    key: 'id',
    keyPattern: id,
    listed: ['id', 'label', 'scope', 'beginning', 'expires_at', 'revoked_at', 'last_used_at'],
    shown: ['made_by', 'created_at'],
    withheld: { hash: 'proves to the service who has the key' },
    filters: { scope: keyScopes },
    forms: [{ operation: 'api_keys.revoke', button: 'Revoke', isDangerous: true }],
    creates: {
      operation: 'api_keys.create',
      button: 'Make a key',
      fields: ['label', 'scope', 'expires'],
      shows: { key: 'secret', about: 'The new key. Copy it now: it is not stored and is never shown again.' },
    },
  },
  {
    name: 'audit',
    title: 'Audit log',
    one: 'Audit entry',
    about: 'Who changed what, when and from where, on every surface. Read-only.',
    table: 'audit_entries',
    key: 'id',
    keyPattern: id,
    listed: ['id', 'at', 'actor_kind', 'actor', 'operation', 'target', 'surface', 'address', 'status'],
    shown: ['key', 'session_id', 'request_id'],
    withheld: { entry_key: 'only keeps an entry from being stored twice' },
    filters: { actor_kind: actorKinds, surface: surfaces, actor: text, operation: text, target: text },
    forms: [],
  },
]
