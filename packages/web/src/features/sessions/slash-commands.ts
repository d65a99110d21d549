import type { Result } from '../../shared/api/client.ts'

/** What can follow the slash of a prompt. */
export type Completion = { name: string; description: string }

type Given = {
  skills: readonly string[]
  plugins: readonly string[]
  catalog: {
    skills: readonly Pick<Result<'skills.list'>['skills'][number], 'id' | 'title' | 'description' | 'user_invocable'>[]
    plugins: readonly Pick<Result<'plugins.list'>['plugins'][number], 'id' | 'skills'>[]
  }
  commands: readonly Completion[]
}

/** The beginning of a command: only a prompt that begins with a slash can be one. Undefined elsewhere in the text. */
export function tokenAt(text: string, caret: number): string | undefined {
  const token = text.slice(0, caret)
  return /^\/[^\s/]*$/.test(token) ? token : undefined
}

/** Those that begin with what is typed, then those that contain it. None for a whole name: there is nothing left to complete. */
export function completionsOf(token: string, given: Given): readonly Completion[] {
  const typed = token.slice(1).toLowerCase()
  const all = offered(given)
  if (all.some(({ name }) => name.toLowerCase() === typed)) return []
  const begins = all.filter(({ name }) => name.toLowerCase().startsWith(typed))
  const contains = all.filter((one) => !begins.includes(one) && one.name.toLowerCase().includes(typed))
  return [...begins, ...contains]
}

function offered({ skills, plugins, catalog, commands }: Given): readonly Completion[] {
  const bundled = catalog.plugins.filter(({ id }) => plugins.includes(id)).flatMap((plugin) => plugin.skills)
  const ids = new Set([...skills, ...bundled])
  const byName = new Map(commands.map((command) => [command.name, command]))
  for (const { id, title, description, user_invocable } of catalog.skills) {
    // An agent knows `@scope/review` as `review`.
    const name = id.split('/').at(-1) ?? id
    if (ids.has(id) && user_invocable) byName.set(name, { name, description: description || title })
  }
  return [...byName.values()].toSorted((one, other) => one.name.localeCompare(other.name))
}
