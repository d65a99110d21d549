import { defineDriver } from '../driver.ts'
import { demoRuntime } from './runtime.ts'

/** The built-in agent. It needs no program, no key and no configuration. */
export const demoDriver = defineDriver({
  name: demoRuntime.name,
  variables: {},
  secrets: [],
  open: async () => ({ runtimes: [demoRuntime] }),
})
