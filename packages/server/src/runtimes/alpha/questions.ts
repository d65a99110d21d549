import {
  type Ask,
  elicitedQuestion,
  type Field,
  formQuestion,
  permissionQuestion,
  type Question,
  refusals,
} from '../question.ts'
import { quote } from '../quote.ts'
import type { TurnOrder } from '../runtime.ts'
import { fieldsIn, fieldsOf, stringOf } from './fields.ts'
import type { Input } from './input.ts'
import { type AlphaQuestion, answerLine, rejectionLine } from './protocol.ts'

/** Answers the CLI's questions: by a person where one is asked, else at once, so that no turn waits forever. */
export function questionDesk({ ask, onNotice }: Pick<TurnOrder, 'ask' | 'onNotice'>, input: Input) {
  const open = new Map<string, AbortController>()
  return {
    async answer(question: AlphaQuestion): Promise<void> {
      const kind = kinds[question.subtype]
      if (!kind || !ask) onNotice(declinedNotice(question))
      if (!kind) return input.send(rejectionLine(question))
      if (!ask) return input.send(answerLine(question.requestId, kind.declined))
      const withdrawal = new AbortController()
      open.set(question.requestId, withdrawal)
      const answer = await kind.ask(question, (one) => ask(one, withdrawal.signal))
      open.delete(question.requestId)
      if (!withdrawal.signal.aborted) input.send(answerLine(question.requestId, answer))
    },
    /** The CLI no longer needs the answer. */
    withdraw: (requestId: string) => open.get(requestId)?.abort(),
  }
}

type Kind = { declined: unknown; ask(question: AlphaQuestion, ask: Ask): Promise<unknown> }

const kinds: Record<string, Kind> = {
  can_use_tool: {
    declined: { behavior: 'deny', message: 'No person can answer now. Decide yourself, or continue without it.' },
    ask: (question, ask) =>
      question.from === 'AskUserQuestion' ? askUser(question, ask) : askPermission(question, ask),
  },
  elicitation: {
    declined: { action: 'decline' },
    ask: async ({ message, from, request }, ask) => {
      const schema = fieldsOf(request.requested_schema) ?? {}
      const url = request.mode === 'url' ? (stringOf(request.url) ?? '') : undefined
      const answer = await ask(elicitedQuestion({ message, schema, toolName: from, url }))
      return answer.action === 'expired' ? { action: 'decline' } : answer
    },
  },
}

async function askPermission({ from = 'a tool', request }: AlphaQuestion, ask: Ask): Promise<unknown> {
  const updatedInput = fieldsOf(request.input) ?? {}
  const message = `May Claude Code use ${from}? ${inWords(updatedInput)}`
  const context = stringOf(request.decision_reason)
  return permitted(permissionQuestion({ message, toolName: from, context, input: updatedInput }), ask, () => ({
    updatedInput,
  }))
}

/** The command or the file first, then everything else: accepting grants all of it. */
function inWords({ command, file_path: path, ...rest }: Record<string, unknown>): string {
  const first = stringOf(command) ?? stringOf(path)
  const others = { ...rest, ...(stringOf(command) !== undefined && path !== undefined && { file_path: path }) }
  if (first === undefined) return JSON.stringify({ command, file_path: path, ...rest })
  return Object.keys(others).length === 0 ? first : `${first}\nWith ${JSON.stringify(others)}`
}

/** The tool with which the model asks the user. The CLI takes the answers as part of the tool's input. */
async function askUser({ from, request }: AlphaQuestion, ask: Ask): Promise<unknown> {
  const given = fieldsOf(request.input) ?? {}
  const questions = fieldsIn(given.questions)
  const fields = questions.map((each, index): Field => {
    const question = stringOf(each.question) ?? ''
    return {
      name: questions.length === 1 ? 'answer' : `answer_${index + 1}`,
      title: stringOf(each.header) ?? 'Answer',
      question,
      choices: fieldsIn(each.options).map(({ label, description }) => ({
        label: stringOf(label) ?? '',
        description: stringOf(description),
      })),
      isMultiple: each.multiSelect === true,
    }
  })
  return permitted(formQuestion(fields, { toolName: from }), ask, (content) => {
    const answers = fields.map(({ name, question }) => [question, [content[name]].flat().join(', ')])
    return { updatedInput: { ...given, answers: Object.fromEntries(answers) } }
  })
}

async function permitted(
  question: Question,
  ask: Ask,
  allow: (content: Record<string, unknown>) => Record<string, unknown>,
): Promise<unknown> {
  const answer = await ask(question)
  return answer.action === 'accept'
    ? { behavior: 'allow', ...allow(answer.content) }
    : { behavior: 'deny', message: refusals[answer.action] }
}

function declinedNotice({ from, subtype, message }: AlphaQuestion): string {
  const text = message === '' ? '' : `: ${quote(message)}`
  return `${from ?? 'The agent'} asked for an answer (${subtype})${text}. Yardmaster declined.`
}
