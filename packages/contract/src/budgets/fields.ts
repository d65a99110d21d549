import { z } from 'zod'
import { Id, SessionRef } from '../identifiers.ts'
import { limits } from '../limits.ts'
import { optionallySent, refuseField } from '../sent.ts'
import { Timestamp } from '../timestamp.ts'

export const budgetScopes = ['service', 'agent_root', 'session'] as const
export const budgetPeriods = ['day', 'month'] as const
export const budgetStates = ['ok', 'warned', 'exhausted'] as const

export type BudgetState = (typeof budgetStates)[number]

export const Budget = z
  .object({
    id: Id,
    scope: z.enum(budgetScopes).meta({ description: 'What it limits.' }),
    agent_root: z.string().nullable().meta({ description: 'The root, in the scope of a root.' }),
    session_id: Id.nullable().meta({ description: 'The session, in the scope of a session.' }),
    period: z.enum(budgetPeriods).meta({ description: 'Whether it counts a day or a month, in UTC.' }),
    limit_usd: z.number().nullable().meta({ description: 'US dollars at list price; null if it counts tokens.' }),
    limit_tokens: z.int().nullable().meta({ description: 'Tokens of all kinds; null if it counts dollars.' }),
    spent_usd: z.number().meta({ description: 'US dollars that were spent in this period.' }),
    spent_tokens: z.int().meta({ description: 'Tokens that were used in this period.' }),
    spent_share: z.number().meta({ description: 'Of the limit: 1 is all of it.' }),
    state: z.enum(budgetStates).meta({ description: '`warned` from 80 %, `exhausted` from 100 % of the limit.' }),
    period_started_at: Timestamp.meta({ description: 'When this period began.' }),
    period_ends_at: Timestamp.meta({ description: 'When the next period begins.' }),
    created_at: Timestamp.meta({ description: 'When it was made.' }),
    updated_at: Timestamp.meta({ description: 'When its limit last changed.' }),
  })
  .meta({ id: 'Budget' })

export type Budget = z.infer<typeof Budget>

const limitUsd = z
  .number()
  .min(limits.budgetUsd.min)
  .max(limits.budgetUsd.max)
  .meta({ description: 'US dollars at list price.', examples: [25] })

const limitTokens = z
  .int()
  .min(1)
  .max(limits.budgetTokens)
  .meta({ description: 'Tokens of all kinds.', examples: [5_000_000] })

/** One of the two limits, so that it is always clear what counts. */
function refuseTwoLimits(
  { limit_usd, limit_tokens }: { limit_usd?: number | undefined; limit_tokens?: number | undefined },
  context: z.core.$RefinementCtx,
): void {
  if ((limit_usd === undefined) === (limit_tokens === undefined))
    refuseField(context, 'validation_failed', 'Send either limit_usd or limit_tokens')
}

export const NewBudget = z
  .object({
    scope: z.enum(budgetScopes).meta({ description: 'What it limits.', examples: ['agent_root'] }),
    agent_root: z
      .string()
      .min(1)
      .optional()
      .meta({ description: 'The root, in the scope of a root.', examples: ['web'] }),
    session_id: optionallySent<number | string>()
      .transform((value, context): SessionRef | undefined => {
        if (value === undefined || value === null) return undefined
        const { data: ref } = SessionRef.safeParse(String(value))
        const isNamed = typeof value === 'number' || typeof value === 'string'
        return isNamed && ref
          ? ref
          : refuseField(context, 'validation_failed', 'session_id must be the id or the slug of a session')
      })
      .meta({ type: ['integer', 'string'], description: 'The session, in the scope of a session: its id or slug.' }),
    period: z.enum(budgetPeriods).meta({ description: 'A day or a month in UTC.', examples: ['day'] }),
    limit_usd: limitUsd.optional(),
    limit_tokens: limitTokens.optional(),
  })
  .superRefine((body, context) => {
    refuseTwoLimits(body, context)
    if ((body.scope === 'agent_root') !== (body.agent_root !== undefined))
      refuseField(context, 'validation_failed', 'Send agent_root with the scope agent_root, and only then')
    if ((body.scope === 'session') !== (body.session_id !== undefined))
      refuseField(context, 'validation_failed', 'Send session_id with the scope session, and only then')
  })

export type NewBudget = z.infer<typeof NewBudget>

export const BudgetChanges = z
  .object({ limit_usd: limitUsd.optional(), limit_tokens: limitTokens.optional() })
  .superRefine(refuseTwoLimits)

export type BudgetChanges = z.infer<typeof BudgetChanges>
