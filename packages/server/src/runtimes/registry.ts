import { acpDriver } from './acp/driver.ts'
import { alphaDriver } from './alpha/driver.ts'
import { betaDriver } from './beta/driver.ts'
import type { PinnedCli } from './cli.ts'
import { demoDriver } from './demo/driver.ts'
import type { RuntimeDriver } from './driver.ts'
import type { Runtime, RuntimeModel } from './runtime.ts'

/** Every driver. The first one's runtime runs sessions that name none, unless a setting names another. */
export const drivers: readonly RuntimeDriver[] = [
  alphaDriver,
  betaDriver,
  demoDriver,
  // Last: it refuses agents whose names are taken by the drivers above.
  acpDriver,
]

/** The programs that `npm run agents:install` can install, each with the name of its driver. */
export const pinnedClis: readonly (PinnedCli & { runtime: string })[] = drivers.flatMap(({ name, cli }) =>
  cli ? [{ runtime: name, ...cli }] : [],
)

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
