import { z } from 'zod'
import { defineEndpoint, defineList } from '../endpoint.ts'
import { NewPerson, Person, PersonChanges, PersonKey } from './fields.ts'

const tag = 'People'
const params = z.object({ key: PersonKey })
const OnePerson = z.object({ person: Person })

export const listPeople = defineList({
  name: 'people.list',
  auth: 'api_key',
  path: '/people',
  tag,
  summary: 'List the people whose messages are recorded, by key',
  key: 'people',
  item: Person,
})

export const showPerson = defineEndpoint({
  name: 'people.show',
  auth: 'api_key',
  method: 'GET',
  path: '/people/{key}',
  tag,
  summary: 'Show a person',
  params,
  answers: { 200: OnePerson },
  refusals: ['not_found'],
})

export const createPerson = defineEndpoint({
  name: 'people.create',
  auth: 'api_key',
  method: 'POST',
  path: '/people',
  tag,
  summary: 'Add a person',
  description: 'Chat messages that they send from now on are recorded as theirs.',
  body: NewPerson,
  answers: { 201: OnePerson },
})

export const updatePerson = defineEndpoint({
  name: 'people.update',
  auth: 'api_key',
  method: 'PATCH',
  path: '/people/{key}',
  tag,
  summary: 'Change a person; only the keys that are sent change',
  params,
  body: PersonChanges,
  answers: { 200: OnePerson },
  refusals: ['not_found'],
})

export const deletePerson = defineEndpoint({
  name: 'people.delete',
  auth: 'api_key',
  method: 'DELETE',
  path: '/people/{key}',
  tag,
  summary: 'Remove a person; their messages stay, under their key',
  params,
  answers: { 204: 'nothing' },
  refusals: ['not_found'],
})

export const endpoints = [listPeople, showPerson, createPerson, updatePerson, deletePerson] as const
