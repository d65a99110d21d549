import { z } from 'zod'
import { Id } from '../identifiers.ts'
import { limits } from '../limits.ts'
import { text } from '../text.ts'
import { Timestamp } from '../timestamp.ts'

/** As a browser writes it, with or without padding. */
function base64Of(bytes: number, what: string) {
  return z
    .string()
    .transform((value) => value.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, ''))
    .refine((value) => /^[\w-]+$/.test(value) && Math.floor((value.length * 3) / 4) === bytes, {
      message: `must be ${what} of ${bytes} bytes in base64url`,
    })
}

export const NewPushSubscription = z.object({
  endpoint: text(limits.pushEndpoint)
    .refine((value) => /^https?:\/\/[\x21-\x7e]+$/i.test(value), { message: 'must be an https address' })
    .meta({
      description: 'The address of the push service, as the browser names it.',
      examples: ['https://push.example/send/abc'],
    }),
  p256dh_key: base64Of(65, 'a public key').meta({
    type: 'string',
    description: "The browser's public key, base64url.",
    examples: ['BFvy4bH7mPqv0hYdRnl7sE0yHcOlwT3ZMnJ2cMyVnUe8V5xyZVH1nJHk0f0FoyF7GdVhAq7nVtMZq3oJQ1x1qXo'],
  }),
  auth_key: base64Of(16, 'a secret').meta({
    type: 'string',
    description: "The browser's secret, base64url.",
    examples: ['3wYq5s8m8v7d3h1k9b2c4A'],
  }),
  user_agent: text(limits.userAgent).nullish().meta({ description: 'The browser, for people.' }),
})

export type NewPushSubscription = z.output<typeof NewPushSubscription>

export const PushSubscription = z
  .object({
    id: Id,
    endpoint: z.string().meta({ description: 'The address of the push service.' }),
    created_at: Timestamp.meta({ description: 'When the browser first subscribed.' }),
    updated_at: Timestamp.meta({ description: 'When it last subscribed.' }),
  })
  .meta({ id: 'PushSubscription' })

export type PushSubscription = z.infer<typeof PushSubscription>

export const ListedPushSubscription = z
  .object({
    id: Id,
    service: z.string().meta({ description: 'The push service. The rest of the address is a secret of the browser.' }),
    user_agent: z.string().nullable().meta({ description: 'The browser, as it named itself.' }),
    receives_pushes: z
      .boolean()
      .meta({ description: "False if it subscribed with another key than the server's; it has to subscribe again." }),
    refusals: z.int().meta({ description: 'How many pushes in a row its push service has refused.' }),
    created_at: Timestamp.meta({ description: 'When the browser first subscribed.' }),
    updated_at: Timestamp.meta({ description: 'When it last subscribed.' }),
  })
  .meta({ id: 'ListedPushSubscription' })

export type ListedPushSubscription = z.infer<typeof ListedPushSubscription>

export const PushKey = z.object({
  public_key: z.string().meta({ description: 'The `applicationServerKey` that a browser subscribes with.' }),
})
