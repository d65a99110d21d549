import { z } from 'zod'
import { defineEndpoint, defineList } from '../endpoint.ts'
import { IdParam } from '../identifiers.ts'
import { ListedPushSubscription, NewPushSubscription, PushKey, PushSubscription } from './fields.ts'

const tag = 'Notifications'

export const listPushSubscriptions = defineList({
  name: 'push_subscriptions.list',
  auth: 'api_key',
  path: '/push_subscriptions',
  tag,
  summary: 'List the subscribed browsers, the latest first',
  description: 'For finding and removing a browser that was lost.',
  key: 'push_subscriptions',
  item: ListedPushSubscription,
})

export const showPushKey = defineEndpoint({
  name: 'push_subscriptions.key',
  auth: 'api_key',
  method: 'GET',
  path: '/push_subscriptions/key',
  tag,
  summary: 'Show the key that a browser subscribes with',
  answers: { 200: PushKey },
})

export const createPushSubscription = defineEndpoint({
  name: 'push_subscriptions.create',
  auth: 'api_key',
  method: 'POST',
  path: '/push_subscriptions',
  tag,
  summary: 'Subscribe a browser to pushes',
  description:
    'A browser that subscribes again under the same address replaces its keys. A subscription that the push service no longer knows is removed.',
  body: NewPushSubscription,
  answers: { 201: PushSubscription, 200: PushSubscription },
})

export const deletePushSubscription = defineEndpoint({
  name: 'push_subscriptions.delete',
  auth: 'api_key',
  method: 'DELETE',
  path: '/push_subscriptions/{id}',
  tag,
  summary: 'Remove a subscription',
  params: z.object({ id: IdParam }),
  answers: { 204: 'nothing' },
  refusals: ['not_found'],
})

export const endpoints = [listPushSubscriptions, showPushKey, createPushSubscription, deletePushSubscription] as const
