import { methods } from '@agentclientprotocol/sdk'
import { z } from 'zod'
import type { TurnOrder } from '../runtime.ts'
import type { AcpAgent } from './agent.ts'
import { AgentError } from './agent-errors.ts'
import type { AcpConnection } from './connection.ts'
import type { SessionOptions } from './messages.ts'
import { agentsChoice } from './models.ts'
import type { OpenSession } from './open-session.ts'

/** Selects the session's model and mode, in whichever way the agent supports. */
export async function selectModelAndMode(
  connection: AcpConnection,
  { sessionId, options }: OpenSession,
  { agent, order }: { agent: AcpAgent; order: TurnOrder },
): Promise<void> {
  const choose = async (selector: Selector, choice: Choice): Promise<void> => {
    if (choice.value === selector.current) return
    await connection.request(selector.method, { sessionId, ...selector.params(choice.value) }, z.unknown())
  }
  const models = selectorOf(options, 'model')
  const model = models?.choices.find(hasName(order.model))
  if (models && model) await choose(models, model)
  else if (order.model !== agentsChoice.id) reportMissingModel(order, models)

  // The operator's mode usually lets the agent use its tools without asking.
  if (agent.mode === undefined || order.hasNoTools || order.ask) return
  const modes = selectorOf(options, 'mode')
  const mode = modes?.choices.find(hasName(agent.mode))
  if (!modes || !mode) {
    throw new AgentError('agent_error', `The agent has no mode ${agent.mode}; it offers ${listed(modes)}.`)
  }
  await choose(modes, mode)
}

type Choice = { value: string; name?: string | null | undefined }

type Selector = {
  current: unknown
  choices: readonly Choice[]
  method: string
  params(value: string): Record<string, unknown>
}

/** Prefers configuration options, which replace the older lists of models and modes. */
function selectorOf({ configOptions, models, modes }: SessionOptions, kind: 'model' | 'mode'): Selector | undefined {
  const option = configOptions?.find(({ id, category, options }) => (category ?? id) === kind && options.length > 0)
  if (option) {
    return {
      current: option.currentValue,
      choices: option.options,
      method: methods.agent.session.setConfigOption,
      params: (value) => ({ configId: option.id, value }),
    }
  }
  if (kind === 'model' && models) {
    return {
      current: models.currentModelId,
      choices: models.availableModels.map(({ modelId, name }) => ({ value: modelId, name })),
      method: 'session/set_model',
      params: (modelId) => ({ modelId }),
    }
  }
  if (kind === 'mode' && modes) {
    return {
      current: modes.currentModeId,
      choices: modes.availableModes.map(({ id, name }) => ({ value: id, name })),
      method: methods.agent.session.setMode,
      params: (modeId) => ({ modeId }),
    }
  }
  return undefined
}

/** Matches the value or the displayed name: some agents generate values that an operator cannot know. */
function hasName(id: string): (choice: Choice) => boolean {
  return ({ value, name }) => value === id || name === id
}

function reportMissingModel(order: TurnOrder, models: Selector | undefined): void {
  if (models) throw new AgentError('model', `The agent has no model ${order.model}; it offers ${listed(models)}.`)
  order.onNotice(`The agent has no choice of models; it uses its own and not ${order.model}.`)
}

function listed(selector: Selector | undefined): string {
  return selector?.choices.map(({ value }) => value).join(', ') || 'none'
}
