import { oneOf, text } from '../../../src/platform/variable-rules.ts'
import { describeCli, installedProgram, type PinnedCli } from '../../../src/runtimes/cli.ts'
import { demoRuntime } from '../../../src/runtimes/demo/runtime.ts'
import { defineDriver } from '../../../src/runtimes/driver.ts'

const pinnedCli: PinnedCli = { package: '@example/agent', version: '1.2.3', binary: '@example/agent/bin/agent' }

const name = 'example'

/** A whole driver in one file. Its agent is the demo agent, which gets one of the driver's variables and the size of its context in its environment. */
export const exampleDriver = defineDriver({
  name,
  variables: {
    EXAMPLE_TONE: oneOf(['plain', 'formal']).default('plain'),
    EXAMPLE_KEY: text().optional(),
  },
  secrets: ['EXAMPLE_KEY'],
  cli: pinnedCli,
  models: [
    { id: 'example-large', label: 'Example Large', default: true },
    { id: 'example-small', label: 'Example Small', deprecated: true },
  ],
  async open({ config, models, agentsFolder }) {
    const command = (await installedProgram(agentsFolder, pinnedCli)) ?? 'example-agent'
    const cli = describeCli({
      title: "Example's CLI",
      driver: name,
      command,
      keys: { EXAMPLE_KEY: config.EXAMPLE_KEY },
      login: { variable: 'EXAMPLE_LOGIN', file: undefined },
    })
    const runtime = {
      ...demoRuntime,
      name,
      cli,
      takesCompactWindow: true,
      models: () => models,
      start: (order: Parameters<typeof demoRuntime.start>[0]) => {
        const environment = {
          ...order.equipment.environment,
          EXAMPLE_TONE: config.EXAMPLE_TONE,
          EXAMPLE_WINDOW: String(order.compactWindow ?? 'its own'),
          EXAMPLE_TOOLS: order.hasAllToolsAtOnce ? 'all at once' : 'as it likes',
        }
        return demoRuntime.start({ ...order, equipment: { ...order.equipment, environment } })
      },
    }
    return { runtimes: [runtime] }
  },
})
