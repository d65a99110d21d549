import type { KnownSecret } from '../platform/redaction/redactor.ts'
import { canRun, isProgram } from './cli.ts'
import type { DriverContext, RuntimeDriver } from './driver.ts'
import { readModels } from './models.ts'
import type { FamilyPrices } from './prices.ts'
import type { Runtime } from './runtime.ts'

/** A driver with the values of its variables. */
export type ConfiguredDriver = { driver: RuntimeDriver; config: Readonly<Record<string, unknown>> }

export type OpenedRuntimes = {
  /** In the order of the drivers. */
  runtimes: readonly Runtime[]
  /** The default runtime of a fresh installation (docs/decisions/0043). */
  firstChoice: string
  secrets: readonly KnownSecret[]
  /** The list prices of all drivers. */
  prices: FamilyPrices
}

/** Opens every runtime that this host offers. A runtime whose program is missing is offered too; its turns say what is missing. */
export async function openDrivers(
  configured: readonly ConfiguredDriver[],
  { modelsPath, ...host }: Pick<DriverContext, 'agentsFolder' | 'environment'> & { modelsPath: string | undefined },
): Promise<OpenedRuntimes> {
  const models = readModels(
    configured.map(({ driver }) => driver),
    modelsPath,
  )
  const runtimes: Runtime[] = []
  const builtIn: Runtime[] = []
  const secrets: KnownSecret[] = []
  for (const { driver, config } of configured) {
    const opened = await driver.open({
      ...host,
      config,
      models: models[driver.name] ?? [],
      takenNames: runtimes.map(({ name }) => name),
    })
    runtimes.push(...opened.runtimes)
    // An agent that the operator's file adds is used only by sessions that name it.
    builtIn.push(...opened.runtimes.filter(({ name }) => name === driver.name))
    secrets.push(...declaredSecrets(driver, config), ...(opened.secrets ?? []))
  }
  const prices = Object.assign({}, ...configured.map(({ driver }) => driver.prices ?? {}))
  return { runtimes, firstChoice: await chooseFirst(builtIn.length > 0 ? builtIn : runtimes), secrets, prices }
}

function declaredSecrets({ secrets }: RuntimeDriver, config: ConfiguredDriver['config']): KnownSecret[] {
  return secrets.flatMap((name) => {
    const value = config[name]
    return typeof value === 'string' && value !== '' ? [{ label: `ENV:${name}`, value }] : []
  })
}

/** The first CLI that can run here, else the built-in agent, which needs none. If that is off: the first installed CLI. */
async function chooseFirst(runtimes: readonly Runtime[]): Promise<string> {
  for (const { name, cli } of runtimes) if (cli && (await canRun(cli))) return name
  for (const { name, cli } of runtimes) if (!cli) return name
  for (const { name, cli } of runtimes) if (cli && (await isProgram(cli.command))) return name
  const [choice] = runtimes
  if (!choice) throw new Error('no driver opened a runtime')
  return choice.name
}
