import { methods } from '@agentclientprotocol/sdk'
import { z } from 'zod'
import type { TurnOrder } from '../runtime.ts'
import type { AcpAgent } from './agent.ts'
import { AgentTrouble } from './agent-errors.ts'
import type { AcpConnection } from './connection.ts'
import type { SessionOffer } from './messages.ts'
import { agentsChoice } from './models.ts'
import type { OpenSession } from './open-session.ts'

/** Puts a session on the model and the mode it is to have, by whatever means the agent offers for it. */
export async function settleChoices(
  connection: AcpConnection,
  { sessionId, offer }: OpenSession,
  { agent, order }: { agent: AcpAgent; order: TurnOrder },
): Promise<void> {
  const choose = async (dial: Dial, choice: Choice): Promise<void> => {
    if (choice.value === dial.current) return
    await connection.ask(dial.method, { sessionId, ...dial.params(choice.value) }, z.unknown())
  }
  const models = dialOf(offer, 'model')
  const model = models?.choices.find(isCalled(order.model))
  if (models && model) await choose(models, model)
  else if (order.model !== agentsChoice.id) missingModel(order, models)

  if (agent.mode === undefined) return
  const modes = dialOf(offer, 'mode')
  const mode = modes?.choices.find(isCalled(agent.mode))
  if (!modes || !mode) {
    throw new AgentTrouble('agent_error', `The agent has no mode ${agent.mode}; it offers ${listed(modes)}.`)
  }
  await choose(modes, mode)
}

type Choice = { value: string; name?: string | null | undefined }

type Dial = {
  current: unknown
  choices: readonly Choice[]
  method: string
  params(value: string): Record<string, unknown>
}

/** Configuration options where the agent has them; they have taken the place of what was there for models and modes. */
function dialOf({ configOptions, models, modes }: SessionOffer, kind: 'model' | 'mode'): Dial | undefined {
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

/** By its value, or by the name that people see: some agents make values that nobody would write down. */
function isCalled(id: string): (choice: Choice) => boolean {
  return ({ value, name }) => value === id || name === id
}

function missingModel(order: TurnOrder, models: Dial | undefined): void {
  if (models) throw new AgentTrouble('model', `The agent has no model ${order.model}; it offers ${listed(models)}.`)
  order.onNotice(`The agent does not let its model be chosen; it works with its own and not with ${order.model}.`)
}

function listed(dial: Dial | undefined): string {
  return dial?.choices.map(({ value }) => value).join(', ') || 'none'
}
