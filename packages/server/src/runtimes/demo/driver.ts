import { oneOf } from '../../platform/variable-rules.ts'
import { defineDriver } from '../driver.ts'
import { demoRuntime } from './runtime.ts'

/**
 * The built-in agent. It needs no program, no key and no configuration. It runs what its prompt says, so an operator who has
 * other agents may turn it off.
 */
export const demoDriver = defineDriver({
  name: demoRuntime.name,
  variables: { RUNTIME_DEMO: oneOf(['on', 'off']).default('on') },
  secrets: [],
  open: async ({ config }) => ({ runtimes: config.RUNTIME_DEMO === 'on' ? [demoRuntime] : [] }),
})
