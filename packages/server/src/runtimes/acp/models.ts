import type { RuntimeModel } from '../runtime.ts'

/** The model of an agent whose row lists none: the agent chooses. */
export const agentsChoice: RuntimeModel = {
  id: 'default',
  label: "The agent's own choice",
  default: true,
  requires_oauth: false,
}
