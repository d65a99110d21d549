import { z } from 'zod'
import type { ForgeItem } from '../../platform/forge/item.ts'
import type { TriggerEvent } from '../fires/fire.ts'

/** An issue or a pull request as the payload of a job. */
export const StoredItem = z.object({
  kind: z.enum(['issue', 'pull_request']),
  repo: z.string(),
  number: z.int(),
  url: z.string(),
  title: z.string(),
  body: z.string(),
  author: z.string(),
  labels: z.array(z.string()),
  isOpen: z.boolean(),
  createdAt: z.coerce.date(),
  updatedAt: z.coerce.date(),
})

/** The forge treats names of repositories and labels without regard to case. */
export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

export function includesName(names: readonly string[], name: string): boolean {
  return names.some((each) => isSameName(each, name))
}

type Happening = {
  by: 'forge_issue' | 'forge_label'
  key: string
  conditionId: number
  event: string
  occurredAt: Date
}

/** A fire that started nothing is retried by the next poll: the item still stands on the forge. */
export function eventAbout(item: ForgeItem, { event, ...happening }: Happening): TriggerEvent {
  const { url: link, body: text, author, repo, number, title, labels } = item
  return {
    ...happening,
    ifNotFired: 'retry',
    values: { link, text, author, repo, number: String(number), title, labels, event },
  }
}
