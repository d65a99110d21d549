import { z } from 'zod'
import { limits } from '../limits.ts'
import { NewPerson } from '../people/fields.ts'
import { text } from '../text.ts'
import { Timestamp } from '../timestamp.ts'

/** How a browser signed in; `none`: it did not have to. */
export const signedInBy = ['key', 'link', 'none'] as const

/** Longer than any key or link. */
const maxSecret = 1000

const name = NewPerson.shape.display_name.meta({ description: 'The name under which your messages are recorded.' })

export const SignInRequest = z.object({
  key: text(maxSecret, { from: z.string().min(1, "can't be blank") }).meta({
    description: 'An API key, or what a one-time link has after `#k=`.',
  }),
  name: name.optional(),
})

export const NameRequest = z.object({ name })

export const OperatorRequest = z.object({
  password: text(maxSecret, { from: z.string().min(1, "can't be blank") }).meta({
    description: "The operator's password (SUPERVISOR_PASSWORD).",
  }),
})

const about = {
  name: z.string().nullable().meta({ description: 'The name of the person; null until they give it.' }),
  person_key: z.string().nullable().meta({ description: 'What their messages are recorded under.' }),
  signed_in_by: z.enum(signedInBy).meta({ description: 'How the browser signed in; none: pages are open.' }),
  operator: z.boolean().meta({ description: "Whether the operator's password was given." }),
  read_only: z.boolean().meta({ description: 'Whether it signed in with a key that may only read.' }),
}

/** What `GET /web/session` says to the browser that asks. */
export const BrowserSession = z
  .object({
    id: z.int().nullable().meta({ description: 'Of the sign-in; null where pages are open and no name was given.' }),
    ...about,
    web_auth: z.enum(['session', 'none']).meta({
      description:
        'none: everyone who reaches the server may do everything here (WEB_AUTH=none). Say so on every page.',
    }),
    created_at: Timestamp.nullable().meta({ description: 'When the browser signed in.' }),
    expires_at: Timestamp.nullable().meta({ description: 'When it is signed out unless it is used before.' }),
    last_event_id: z.int().meta({
      description:
        'The newest event that this host has relayed. A page that follows the stream after this id misses no change of what it reads from now on.',
    }),
  })
  .meta({ id: 'BrowserSession' })

export type BrowserSession = z.infer<typeof BrowserSession>

export const SignIn = z
  .object({
    id: z.int().meta({ description: 'The id.' }),
    ...about,
    is_current: z.boolean().meta({ description: 'Whether it is of the browser that asks.' }),
    user_agent: z.string().max(limits.userAgent).nullable().meta({ description: 'The browser, as it named itself.' }),
    created_at: Timestamp.meta({ description: 'When the browser signed in.' }),
    last_used_at: Timestamp.meta({ description: 'When it was last used, to the hour.' }),
    expires_at: Timestamp.meta({ description: 'When it is signed out unless it is used before.' }),
  })
  .meta({ id: 'SignIn' })

export type SignIn = z.infer<typeof SignIn>
