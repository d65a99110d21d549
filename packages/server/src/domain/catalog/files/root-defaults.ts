import type { Found } from './find-entries.ts'
import type { Kind } from './kinds.ts'
import type { Names } from './names.ts'

export type RootDefaults = { mcp: string[]; skills: string[]; hooks: string[]; plugins: string[]; roots: string[] }

/** The default list of a root, by kind. */
const ownLists = {
  mcp: 'default_mcp_servers',
  skills: 'default_skills',
  hooks: 'default_hooks',
  plugins: 'default_plugins',
  roots: 'default_subagent_roots',
} as const

type Defaulted = keyof typeof ownLists
const defaultedKinds = Object.keys(ownLists) as Defaulted[] // a record's keys are its type's

/**
 * The default lists of every root: the entries it names, then the entries whose `default_in_roots` names it (or all roots, by
 * `*`). A root with `default_in_roots` becomes a subagent root of the roots it names, never of itself.
 */
export function rootDefaults(names: Names): Map<Found<'roots'>, RootDefaults> {
  const roots = names.of('roots')
  const defaults = new Map(roots.map((root) => [root, ownDefaults(names, root)]))
  for (const kind of defaultedKinds) {
    for (const artifact of names.of(kind)) {
      for (const root of rootsNamedBy(names, artifact, roots)) {
        const list = defaults.get(root)?.[kind]
        const { name } = names.identify(artifact)
        if (list && !list.includes(name)) list.push(name)
      }
    }
  }
  for (const [root, { roots: subagents }] of defaults) {
    const itself = subagents.indexOf(names.identify(root).name)
    if (itself >= 0) subagents.splice(itself, 1)
  }
  return defaults
}

function ownDefaults(names: Names, root: Found<'roots'>): RootDefaults {
  const list = (kind: Defaulted): string[] => {
    const from = { found: root, key: `${root.id}.${ownLists[kind]}` }
    const meant = (root.entry[ownLists[kind]] ?? []).flatMap((given) => names.refer<Kind>(kind, given, from) ?? [])
    if (meant.includes(root)) names.report('a root cannot be a subagent root of itself', from)
    return [...new Set(meant.map((each) => names.identify(each).name))]
  }
  return {
    mcp: list('mcp'),
    skills: list('skills'),
    hooks: list('hooks'),
    plugins: list('plugins'),
    roots: list('roots'),
  }
}

function rootsNamedBy(names: Names, artifact: Found<Defaulted>, roots: readonly Found<'roots'>[]): Found<'roots'>[] {
  const given = artifact.entry.default_in_roots ?? []
  if (given.includes('*')) return [...roots]
  const key = `${artifact.id}.default_in_roots`
  return given.flatMap((name) => names.refer('roots', name, { found: artifact, key }) ?? [])
}
