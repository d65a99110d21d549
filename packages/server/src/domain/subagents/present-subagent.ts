import type { SubagentTranscript } from '@yardmaster/contract/subagents/fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { Subagent } from './subagent-store.ts'

export function presentSubagent(subagent: Subagent): SubagentTranscript {
  const { thread: _, text_length: __, text_sha256: ___, created_at, updated_at, ...shown } = subagent
  return {
    ...shown,
    formatted_duration: formatDuration(subagent.duration_ms),
    formatted_tokens: formatTokens(subagent.total_tokens),
    display_label: subagent.description?.trim() ? subagent.description : labelByType(subagent),
    created_at: formatTimestamp(created_at),
    updated_at: formatTimestamp(updated_at),
  }
}

function labelByType({ subagent_type: type }: Subagent): string {
  return type?.trim() ? type : 'Subagent'
}

/** Whole seconds, rounded down, without hours: `75m 3s`. */
function formatDuration(durationMs: number | null): string | null {
  if (durationMs === null) return null
  const seconds = Math.floor(durationMs / 1000)
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m ${seconds % 60}s`
}

function formatTokens(tokens: number | null): string | null {
  if (tokens === null) return null
  return tokens < 1000 ? String(tokens) : `${(tokens / 1000).toFixed(1)}k`
}
