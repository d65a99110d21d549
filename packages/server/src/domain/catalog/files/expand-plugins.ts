import type { Found } from './find-entries.ts'
import type { Kind } from './kinds.ts'
import type { Names } from './names.ts'
import { type Reading, sentenceAbout } from './reading.ts'

type PluginEntry = Found<'plugins'>['entry']

/** The artifacts of a plugin and of its nested plugins, as distinct shown names. */
export type Expanded = { plugins: string[]; skills: string[]; mcpServers: string[]; hooks: string[] }

/** Expands depth first. Records one problem for a cycle. */
export function expandPlugins(
  reading: Reading,
  names: Names,
  entries: ReadonlyMap<Found<'plugins'>, PluginEntry>,
): Map<Found<'plugins'>, Expanded> {
  const done = new Map<Found<'plugins'>, Expanded>()

  const expand = (plugin: Found<'plugins'>, way: readonly Found<'plugins'>[]): Expanded => {
    const earlier = done.get(plugin)
    if (earlier) return earlier
    if (way.includes(plugin)) {
      const cycle = [...way.slice(way.indexOf(plugin)), plugin].map(({ id }) => id).join(' > ')
      reading.problems.push(sentenceAbout(plugin.file, `${plugin.id}.plugins`, `${cycle} is a cycle`))
      return { plugins: [], skills: [], mcpServers: [], hooks: [] }
    }
    const entry = entries.get(plugin) ?? plugin.entry
    const members = <K extends Kind>(kind: K, key: 'skills' | 'mcp_servers' | 'hooks' | 'plugins') =>
      (entry[key] ?? []).flatMap(
        (given) => names.refer(kind, given, { found: plugin, key: `${plugin.id}.${key}` }) ?? [],
      )
    const called = (found: readonly Found[]): string[] => found.map((each) => names.identify(each).name)
    const inner = members('plugins', 'plugins')
    const nested = inner.map((each) => expand(each, [...way, plugin]))
    const expanded = {
      plugins: called(inner),
      skills: once([...called(members('skills', 'skills')), ...nested.flatMap(({ skills }) => skills)]),
      mcpServers: once([...called(members('mcp', 'mcp_servers')), ...nested.flatMap(({ mcpServers }) => mcpServers)]),
      hooks: once([...called(members('hooks', 'hooks')), ...nested.flatMap(({ hooks }) => hooks)]),
    }
    done.set(plugin, expanded)
    return expanded
  }

  for (const plugin of names.of('plugins')) expand(plugin, [])
  return done
}

function once(names: readonly string[]): string[] {
  return [...new Set(names)]
}
