/**
 * The rooms of packages/server/src/domain: a room imports only rooms on earlier lines. Rooms that do not exist yet have
 * their place here already. `npm run check` reads this list, and a test compares it with ARCHITECTURE.md.
 */
export const roomLines = [
  ['settings', 'people', 'hosts', 'queues', 'api-keys', 'audit'],
  ['credentials', 'catalog', 'categories', 'sign-ins', 'provider-keys'],
  ['sessions'],
  ['logs', 'transcripts', 'costs', 'gates'],
  ['hierarchy', 'subagents', 'board', 'titles', 'attachments'],
  ['inbox', 'workspaces', 'summaries'],
  ['elicitations'],
  ['notifications'],
  ['lifecycle', 'budgets'],
  ['conversation', 'search', 'archive'],
  ['accounts', 'connectors'],
  ['login-attempts', 'host-logins', 'heartbeats', 'turns', 'artifacts'],
  ['triggers', 'backlog', 'outcomes', 'pull-requests'],
  ['fires', 'wakes'],
  ['chat', 'forge', 'watches'],
  ['maintenance', 'clis', 'attention'],
]
