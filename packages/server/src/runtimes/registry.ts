import type { Runtime, RuntimeModel } from './runtime.ts'

export type Runtimes = {
  names(): string[]
  find(name: string): Runtime | undefined
}

export function registerRuntimes(runtimes: readonly Runtime[]): Runtimes {
  const byName = new Map(runtimes.map((runtime) => [runtime.name, runtime]))
  if (byName.size !== runtimes.length) throw new Error('two runtimes have one name')
  return { names: () => [...byName.keys()], find: (name) => byName.get(name) }
}

export function defaultModel(runtime: Runtime): RuntimeModel {
  const model = runtime.models().find((candidate) => candidate.default)
  if (!model) throw new Error(`runtime ${runtime.name} has no default model`)
  return model
}
