import { limits } from '@yardmaster/contract/limits'
import type { Page } from '@yardmaster/contract/paging'
import type { NewPerson, Person, PersonChanges } from '@yardmaster/contract/people/fields'
import { formatTimestamp } from '@yardmaster/contract/timestamp'
import type { Transaction } from '../../platform/db/database.ts'
import { transact } from '../../platform/db/transact.ts'
import { violatedConstraint } from '../../platform/db/violated-constraint.ts'
import { refuse, refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import {
  deletePerson,
  findPersonByName,
  hasAuthored,
  insertPerson,
  insertPersonUnlessTaken,
  type PersonRow,
  selectPeople,
  selectPerson,
  updatePerson,
} from './person-store.ts'

/** The face of the room: the people whose messages are recorded. */
export { findPerson, findPersonByChatUser } from './person-store.ts'

export async function listPeople(app: App, page: Page): Promise<{ items: Person[]; totalCount: number }> {
  const { rows, totalCount } = await selectPeople(app.db, page)
  return { items: rows.map(presentPerson), totalCount }
}

export async function showPerson(app: App, key: string): Promise<Person> {
  return presentPerson((await selectPerson(app.db, key)) ?? refuseMissing())
}

export async function addPerson(app: App, { key, display_name, chat_user_id, is_admin }: NewPerson): Promise<Person> {
  const values = { key, display_name, chat_user_id: chat_user_id ?? null, is_admin: is_admin ?? false }
  return transact(app.db, async (tx) => {
    const person = await refusingTaken(() => insertPerson(tx, values))
    // Of someone who left the list: their messages must not become another's.
    if (await hasAuthored(tx, key)) refuse('validation_failed', 'Key belongs to the author of recorded messages')
    return presentPerson(person)
  })
}

/** Partial update: absent keys keep their values. */
export async function changePerson(app: App, key: string, changes: PersonChanges): Promise<Person> {
  if (Object.keys(changes).length === 0) return showPerson(app, key)
  return presentPerson((await refusingTaken(() => updatePerson(app.db, key, changes))) ?? refuseMissing())
}

export async function removePerson(app: App, key: string): Promise<void> {
  if (!(await deletePerson(app.db, key))) refuseMissing()
}

/**
 * The key of the user of the dashboard who goes by the name, added if there is none. Every user of the dashboard may use any name: it
 * says who wrote something, and proves nothing.
 */
export async function findOrAddDashboardUser(tx: Transaction, name: string): Promise<string> {
  const known = await findPersonByName(tx, name)
  if (known) {
    if (!known.is_admin) await updatePerson(tx, known.key, { is_admin: true })
    return known.key
  }
  for (let number = 1; ; number += 1) {
    const key = keyFor(name, number)
    // Of someone who left the list: their messages must not become another's.
    if (await hasAuthored(tx, key)) continue
    if (await insertPersonUnlessTaken(tx, { key, display_name: name, is_admin: true, chat_user_id: null })) return key
    // Another transaction has just added the person.
    const meanwhile = await findPersonByName(tx, name)
    if (meanwhile) return meanwhile.key
  }
}

/** `Ada Lovelace`: `ada-lovelace`, then `ada-lovelace-2`. */
function keyFor(name: string, number: number): string {
  const suffix = number === 1 ? '' : `-${number}`
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, limits.personKey - suffix.length)
    .replace(/^-+|-+$/g, '')
  return (plain || 'person') + suffix
}

const taken: Readonly<Record<string, string>> = {
  people_pkey: 'Key has already been taken',
  people_chat_user_id_key: 'Chat user id has already been taken',
}

/** Unique constraints decide what is taken. */
async function refusingTaken<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    const sentence = taken[violatedConstraint(error) ?? '']
    if (sentence !== undefined) refuse('validation_failed', sentence)
    throw error
  }
}

function presentPerson({ key, display_name, chat_user_id, is_admin, created_at }: PersonRow): Person {
  return { key, display_name, chat_user_id, is_admin, created_at: formatTimestamp(created_at) }
}
