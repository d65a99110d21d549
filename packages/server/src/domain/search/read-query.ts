import { limits } from '@yardmaster/contract/limits'
import type { SessionSearch } from '@yardmaster/contract/search/fields'
import { isAtMost } from '@yardmaster/contract/text'
import { refuse } from '../../platform/refusal.ts'

export function readQuery({ q, query }: Pick<SessionSearch, 'q' | 'query'>): string {
  const phrase = q?.trim() || query?.trim() || refuse('search_query_missing', ['q (search query) is required'])
  if (isAtMost(phrase, limits.searchQuery)) return phrase
  return refuse('search_query_too_long', [`Maximum query length is ${limits.searchQuery} characters`])
}
