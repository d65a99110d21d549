import { transact } from '../../platform/db/transact.ts'
import { refuseMissing } from '../../platform/refusal.ts'
import type { App } from '../app.ts'
import { forgetCredential, listCredentials } from '../credentials/credential.ts'
import { connectorsChanged } from '../credentials/events.ts'
import { deleteClient } from './flow-store.ts'

/**
 * Forgets a credential, and our registration at its authorization server: one that the server no longer knows would fail every later
 * consent. Sessions that run keep what they have until their next request to the server.
 */
export async function disconnect(app: App, id: string): Promise<void> {
  await findStored(app, id)
  const forgotten = await transact(app.db, async (tx) => {
    const credential = await forgetCredential(tx, id)
    if (credential && credential.issuer !== null) await deleteClient(tx, credential.issuer, credential.client_id)
    if (credential) await app.events.publish(tx, connectorsChanged, { payload: {} })
    return credential
  })
  if (!forgotten) refuseMissing()
}

export async function findStored({ db }: App, id: string): Promise<void> {
  const all = await listCredentials(db)
  if (!all.some((credential) => credential.id === id)) refuseMissing()
}
