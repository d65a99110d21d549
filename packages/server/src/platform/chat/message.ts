import { z } from 'zod'
import { storable } from '../storable-text.ts'

/** A message of the chat platform, from a list or from a webhook. */
export type ChatMessage = {
  channel: string
  /** Unique in its channel; a decimal number of seconds as text. */
  ts: string
  /** The first message of the thread that it replies to; undefined at the top level. */
  threadTs: string | undefined
  text: string
  userId: string | undefined
  /** Set on messages of apps, ours included. */
  botId: string | undefined
  /** What kind of notice it is (`channel_join`, ...); undefined for a message that a person or an app wrote. */
  subtype: string | undefined
  isDirect: boolean
}

const timestamp = z.string().regex(/^\d{1,10}\.\d{1,9}$/)
const id = z.string().regex(/^[A-Z][A-Z0-9]{1,30}$/)

export const ChannelId = id

/** The fields that we read. An id or timestamp of another form is not one of the platform's. */
export const WireMessage = z.object({
  ts: timestamp,
  thread_ts: timestamp.optional(),
  text: z.string().nullish(),
  user: id.nullish(),
  bot_id: id.nullish(),
  subtype: z.string().nullish(),
  latest_reply: timestamp.optional(),
})
export type WireMessage = z.infer<typeof WireMessage>

export function readMessage(channel: string, wire: WireMessage): ChatMessage {
  const { ts, thread_ts: threadTs, text, user, bot_id: botId, subtype } = wire
  return {
    channel,
    ts,
    threadTs: threadTs === ts ? undefined : threadTs,
    text: storable(text ?? ''),
    userId: user ?? undefined,
    botId: botId ?? undefined,
    subtype: subtype ?? undefined,
    isDirect: channel.startsWith('D'),
  }
}

/** Compares by time. As numbers two timestamps of one second would lose digits. */
export function compareTs(one: string, other: string): number {
  const [seconds = '', fraction = ''] = one.split('.')
  const [otherSeconds = '', otherFraction = ''] = other.split('.')
  return (
    Number(seconds) - Number(otherSeconds) || Number(fraction.padEnd(9, '0')) - Number(otherFraction.padEnd(9, '0'))
  )
}

export function dateOfTs(ts: string): Date {
  return new Date(Number(ts) * 1000)
}
