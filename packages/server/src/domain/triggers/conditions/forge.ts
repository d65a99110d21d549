import type { JsonObject } from '@yardmaster/contract/json'
import { forgeTargets } from '@yardmaster/contract/triggers/conditions'
import { isRepoName } from '../../../platform/forge/item.ts'
import { type ReadCondition, type Reading, reading } from './reading.ts'

const maxRepos = 20

export function readForgeIssue(given: JsonObject): ReadCondition {
  const read = reading(given, ['repos', 'exclude_labels'])
  const repos = readRepos(read)
  const exclude_labels = read.list('exclude_labels')
  if (read.problems.length > 0) return { problems: read.problems }
  return { configuration: { repos, exclude_labels }, isOneShot: false }
}

export function readForgeLabel(given: JsonObject): ReadCondition {
  const read = reading(given, ['repos', 'labels', 'target'])
  const repos = readRepos(read)
  const labels = read.list('labels')
  if (labels.length === 0) read.problems.push('must include at least one label for forge_label conditions')
  const target = read.word('target', forgeTargets) ?? 'pull_request'
  if (read.problems.length > 0) return { problems: read.problems }
  return { configuration: { repos, labels, target }, isOneShot: false }
}

function readRepos({ problems, list }: Reading): string[] {
  const repos = list('repos')
  const malformed = repos.filter((repo) => !isRepoName(repo))
  if (repos.length === 0) problems.push('must include at least one repo for forge conditions')
  if (repos.length > maxRepos) problems.push(`must watch at most ${maxRepos} repos (got ${repos.length})`)
  if (malformed.length > 0) problems.push(`repos must be in owner/name format: ${malformed.slice(0, 10).join(', ')}`)
  return repos
}
