import { z } from 'zod'
import { defineEvent } from '../event.ts'

/**
 * A sign-in to an MCP server began or ended, or its token was stored, renewed, refused or forgotten. The payload is empty: a reader lists
 * the connectors again. That a session waits for a server, or no longer does, is a change of its status.
 */
export const connectorsChanged = defineEvent({ name: 'connectors.changed', payload: z.object({}) })
